import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The plain-Node floor: reads a JSON body and responds with one of the size of a task resource; no
 * database, no checks.
 */
export async function startFloor(): Promise<{ url: string; stop(): Promise<void> }> {
  const body = JSON.stringify({
    id: 'video_01m7z1mc2yfzz8gkvph7wn2q17',
    object: 'video',
    status: 'queued',
    padding: 'x'.repeat(330),
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.setHeader('content-type', 'application/json');
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
