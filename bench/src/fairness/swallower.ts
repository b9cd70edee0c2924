import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server that reads whatever it gets and does nothing with it: what a customer notices while this
 * one is attacked is the attacker's own work, and the machine's.
 */
const server = createServer((request, response) => {
  request.resume();
  request.once('error', () => undefined);
  request.once('end', () => {
    response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('disconnect', () => process.exit(0));
