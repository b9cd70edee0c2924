/** What a response's head ends with. */
export const headEnd = '\r\n\r\n';
const lastChunk = Buffer.from('0\r\n\r\n');

/** Bytes of the body that come after the head and what came with it; Infinity for chunks. */
export function bytesAfter(head: string, bodyStart: number): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return length === undefined ? Infinity : Number(length) - (head.length - bodyStart);
}

/** Whether a body in chunks ends with this piece. */
export const isLast = (piece: Buffer): boolean =>
  piece.length >= lastChunk.length &&
  piece.compare(lastChunk, 0, lastChunk.length, piece.length - lastChunk.length) === 0;
