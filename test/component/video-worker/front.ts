import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something in front of a vendor: a proxy that may speak in its place, or be gone. */
export interface Front {
  readonly url: string;
  /** Creations that it received, whatever it did with them. */
  readonly creations: () => number;
  /** It passes on what this says, and responds to the rest with a page. */
  pageExcept(isPassed: (method: string, body: string) => boolean): void;
  /** Nobody listens any more. */
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

const page = '<!doctype html><html><body>Request blocked</body></html>';

/** In front of the vendor at `target`; passes everything on at first. */
export async function openFront(target: string): Promise<Front> {
  let creations = 0;
  let isPassed: Parameters<Front['pageExcept']>[0] = () => true;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = request;
    if (method === 'POST') creations += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (!isPassed(method, Buffer.concat(chunks).toString())) {
      response.writeHead(403, { 'content-type': 'text/html' }).end(page);
      return;
    }
    const passed = await fetch(`${target}${url}`, {
      method,
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': request.headers['content-type'] ?? '',
      },
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    });
    response
      .writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? '' })
      .end(Buffer.from(await passed.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    creations: () => creations,
    pageExcept: (passed) => {
      isPassed = passed;
    },
    away: close,
    back: () => listen(port),
    close,
  };
}
