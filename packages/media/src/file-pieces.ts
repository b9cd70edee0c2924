import type { FileHandle } from 'node:fs/promises';
import { reading } from './file-system-error.ts';
import type { ByteRange } from './storage.ts';

/**
 * A download holds two of these. With less it took more processor time for eight at once; twice of
 * it saved none.
 */
const pieceBytes = 256 * 1024;
/** Buffers that wait for the next download, at most: a player asks for many short ranges. */
const mostIdle = 16;
const idle: Buffer[] = [];

const takeBuffer = (): Buffer => idle.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);

/** Only of buffers that nobody reads or writes any more. */
function giveBack(buffers: readonly Buffer[]): void {
  for (const buffer of buffers) if (idle.length < mostIdle) idle.push(buffer);
}

/**
 * The bytes of a file in pieces that lie in two buffers in turn: while one is with the caller, the
 * other is filled. A new buffer for each piece would have its pages mapped and cleared by the
 * kernel, which costs as much as the reading. Takes the handle over, and closes it at the end, at a
 * failure, at `return`, and when the signal aborts, also while the caller is at work.
 */
export function lendPieces(
  handle: FileHandle,
  range: ByteRange | undefined,
  signal?: AbortSignal,
): AsyncIterableIterator<Uint8Array> {
  const buffers: [Buffer, Buffer] = [takeBuffer(), takeBuffer()];
  const end = range === undefined ? Infinity : range.end + 1;
  let position = range?.start ?? 0;
  let ahead: Promise<Uint8Array> | undefined;
  let closing: Promise<void> | undefined;
  let isOver = false;

  const fill = async (): Promise<Uint8Array> => {
    const [buffer] = buffers.reverse() as typeof buffers;
    const { bytesRead } = await reading(
      handle.read(buffer, 0, Math.min(pieceBytes, end - position), position),
    );
    position += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  // waits for a read that is under way
  const close = (): Promise<void> => (closing ??= handle.close());
  const stop = (): void => {
    close().catch(() => undefined);
  };
  /** The caller holds no piece any more, and no read is under way. */
  const finish = async (): Promise<IteratorReturnResult<undefined>> => {
    signal?.removeEventListener('abort', stop);
    await close();
    if (!isOver) giveBack(buffers);
    isOver = true;
    return { done: true, value: undefined };
  };
  const nextPiece = async (): Promise<IteratorResult<Uint8Array>> => {
    if (isOver) return { done: true, value: undefined };
    signal?.throwIfAborted();
    const piece = await (ahead ?? fill());
    signal?.throwIfAborted();
    if (piece.length === 0) return finish();
    ahead = fill();
    ahead.catch(() => undefined); // told to who asks for the piece
    return { done: false, value: piece };
  };
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  return {
    next: () =>
      nextPiece().catch(async (thrown: unknown) => {
        await finish();
        throw thrown;
      }),
    return: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
