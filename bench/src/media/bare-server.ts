import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The floor: a file through `createReadStream` and `pipe`, without token, range, checks or
 * metering.
 */
const file = process.argv[2] ?? '';
const { size } = statSync(file);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': size });
  createReadStream(file).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.once('disconnect', () => {
  process.exit();
});
