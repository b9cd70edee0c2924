import { connect, type Socket } from 'node:net';

/** Enough of the file for the server to be in the middle of it. */
const abortAfterBytes = 1_000_000;

/**
 * Downloads once over a connection of its own and counts the bytes of the body, as cheaply as Node
 * can.
 */
export function download(url: URL, expectedBytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let headBytes = -1;
    const socket = request(url, (chunk, length) => {
      if (headBytes < 0) {
        const head = chunk.subarray(0, length).toString('latin1');
        headBytes = head.indexOf('\r\n\r\n') + 4;
        if (!head.startsWith('HTTP/1.1 200')) {
          socket.destroy(new Error(`returned ${head.slice(0, 40)}`));
        }
      }
      received += length;
      if (received - headBytes >= expectedBytes) socket.end();
    });
    socket.on('error', reject).on('close', () => {
      if (received - headBytes === expectedBytes) resolve();
      else reject(new Error(`received ${received - headBytes} of ${expectedBytes} bytes`));
    });
  });
}

/** Goes away in the middle of the body. */
export function abortDownload(url: URL): Promise<void> {
  return new Promise((resolve) => {
    let received = 0;
    const socket = request(url, (_chunk, length) => {
      received += length;
      if (received > abortAfterBytes) socket.destroy();
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        resolve();
      });
  });
}

function request(url: URL, onBytes: (chunk: Buffer, length: number) => void): Socket {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  const socket = connect({
    port: Number(url.port),
    host: url.hostname,
    onread: {
      buffer,
      callback: (length: number) => {
        onBytes(buffer, length);
        return true;
      },
    },
  });
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`);
  return socket;
}
