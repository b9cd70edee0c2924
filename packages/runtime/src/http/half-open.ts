import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const firstQuestionMs = 10;
const longestQuestionMs = 15_000;

/**
 * A client may close its own side after its request and still wait for the response, which Node
 * would cut off. But the same is seen of a client that has left for good, and work for it should
 * end. An interim response tells them apart: the system of one that has left refuses it, and the
 * second one finds the connection broken.
 */
export function serveHalfOpen(
  server: Server,
  responseOn: (socket: Socket) => ServerResponse | undefined,
): void {
  // An option of Node's that is no argument of its constructor.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const response = responseOn(socket);
      // Whoever has all of its response is disconnected by Node.
      if (response === undefined || response.writableEnded) return;
      if (!response.headersSent && response.socket !== null) askUntilResponded(response);
      // A stream that may be silent for long would not notice, nor would a response that waits for
      // the one before it. Writing a file does.
      else if (!response.hasHeader('content-length')) socket.end();
    });
  });
}

/** HTTP/1.0 has no interim responses: such a client is noticed when its response is written. */
function askUntilResponded(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') return;
  let waitMs = firstQuestionMs;
  let timer: NodeJS.Timeout | undefined;
  const ask = (): void => {
    if (response.headersSent || response.destroyed) return;
    response.writeProcessing();
    timer = setTimeout(ask, waitMs).unref();
    waitMs = Math.min(waitMs * 3, longestQuestionMs);
  };
  response.once('close', () => {
    clearTimeout(timer);
  });
  ask();
}
