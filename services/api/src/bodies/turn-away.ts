import type { IncomingMessage } from 'node:http';
import { guarded } from '@gateway/runtime';

const lingerMs = 1_000;
const discardedBytes = 65_536;

const turned = new WeakSet<IncomingMessage>();

/**
 * Lets a client that is still sending read the response to a request whose body nobody wants.
 * Closing with unread bytes resets the connection, and with it the response: so our end is closed
 * first, some more is read and thrown away, and the connection is cut after a second.
 */
export function turnAway(incoming: IncomingMessage): void {
  if (turned.has(incoming)) return;
  turned.add(incoming);
  const { socket } = incoming;
  let leftBytes = discardedBytes;
  const push = incoming.push.bind(incoming);
  // Dropped before it is kept: thousands of messages that were only paused would hold 128 KiB each. A
  // push that returns false stops the reading of the socket.
  incoming.push = (piece: Buffer | null): boolean => {
    if (piece === null) return push(null);
    leftBytes -= piece.length;
    return leftBytes >= 0;
  };
  incoming.on('error', () => undefined);
  incoming.resume();
  // Node's own way ends a connection at once, as soon as the last response is out.
  socket.destroySoon = () => {
    const cut = (): void => {
      socket.destroy();
    };
    const timer = setTimeout(cut, lingerMs).unref();
    socket.once(
      'close',
      guarded(cut, () => {
        clearTimeout(timer);
      }),
    );
    socket.end();
    if (incoming.complete) cut();
    else incoming.once('end', guarded(cut, cut));
  };
}
