import type { ServerResponse } from 'node:http';
import { atTurnEnd } from './turn-end.ts';

/** Copying more would cost more than a write of two parts. */
const largestJoinedBytes = 16_384;

/**
 * Writes a whole body behind the head that is waiting, and ends the response. Node joins a string
 * with the head; ended in the same turn, nothing is written beside it. As a write of two parts it
 * would cost a tenth of what a bare server needs for a response.
 */
export function writeWhole(
  response: ServerResponse,
  body: Buffer | string,
  sizeBytes: number,
): void {
  if (sizeBytes > largestJoinedBytes) {
    response.end(typeof body === 'string' ? Buffer.from(body) : body);
    return;
  }
  const { socket } = response;
  socket?.cork();
  response.write(latin1Of(body, sizeBytes), 'latin1');
  atTurnEnd('send', () => {
    socket?.uncork();
    process.nextTick(end, response);
  });
}

/** A string whose characters are the bytes; a text of ASCII is one already. */
function latin1Of(body: Buffer | string, sizeBytes: number): string {
  if (typeof body !== 'string') return body.toString('latin1');
  return body.length === sizeBytes ? body : Buffer.from(body).toString('latin1');
}

const end = (response: ServerResponse): void => {
  response.end();
};

/**
 * Node holds what is written back until the next tick, which comes after every promise that is due:
 * this sends the first event of a stream at once.
 */
export const sendNow = ({ socket }: ServerResponse): void => {
  socket?.uncork();
};
