// Given to a dispatcher with --import: kills the process in the middle of its nth POST, when the
// request is on the wire and no answer has come.
import { subscribe } from 'node:diagnostics_channel';

let left = Number(process.env.DIE_IN_POST);

subscribe('http.client.request.start', (message) => {
  const { request } = /** @type {{ request: import('node:http').ClientRequest }} */ (message);
  if (request.getHeader('x-gateway-event') !== 'video.status_changed') return;
  left -= 1;
  if (left === 0) request.once('finish', () => process.kill(process.pid, 'SIGKILL'));
});
