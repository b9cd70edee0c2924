import type { FileHandle } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { lendPieces } from '../../../packages/media/src/file-pieces.ts';

const pieceBytes = 256 * 1024;

/** A file whose every piece is filled with its number; reads wait while it is held. */
function aFile({ pieces }: { pieces: number }) {
  const filled: Buffer[] = [];
  const gates: (() => void)[] = [];
  const said: string[] = [];
  const stage = {
    filled,
    said,
    isHeld: false,
    fails: false,
    release: () => {
      for (const open of gates.splice(0)) open();
    },
  };
  let pending: Promise<unknown> = Promise.resolve();
  const fill = async (buffer: Buffer, position: number): Promise<{ bytesRead: number }> => {
    if (stage.isHeld) {
      await new Promise<void>((resolve) => {
        gates.push(resolve);
      });
    }
    if (stage.fails) throw Object.assign(new Error('the disk'), { code: 'EIO' });
    const number = position / pieceBytes;
    if (number >= pieces) return { bytesRead: 0 };
    buffer.fill(number + 1);
    filled.push(buffer);
    said.push(`filled ${number + 1}`);
    return { bytesRead: buffer.length };
  };
  const handle = {
    read(buffer: Buffer, _offset: number, _length: number, position: number) {
      const reading = fill(buffer, position);
      pending = reading.catch(() => undefined);
      return reading;
    },
    async close() {
      await pending;
      said.push('closed');
    },
  };
  return Object.assign(stage, { handle: handle as unknown as FileHandle });
}

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('pieces of a file that are lent', () => {
  it('stay as they are until the next one is asked for, while that is read already', async () => {
    const file = aFile({ pieces: 5 });
    const numbers: number[] = [];

    for await (const piece of lendPieces(file.handle, undefined)) {
      await settled();
      numbers.push(piece[0] ?? 0);
      expect(piece.every((byte) => byte === piece[0])).toBe(true);
      expect(file.filled).toHaveLength(Math.min(numbers.length + 1, 5)); // the next one is there
    }

    expect(numbers).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(file.filled).size).toBe(2);
    expect(file.said.at(-1)).toBe('closed');
  });

  it('lie in memory that no other download has, though this one was given up in the middle of a read', async () => {
    const [first, second] = [aFile({ pieces: 9 }), aFile({ pieces: 9 })];
    const givenUp = lendPieces(first.handle, undefined);
    first.isHeld = true;
    const asked = givenUp.next();
    const over = givenUp.return?.();
    const others = lendPieces(second.handle, undefined);
    await others.next();
    await others.next();
    await settled();

    first.release();
    await Promise.all([asked, over]);
    await settled();

    expect(second.filled.filter((buffer) => first.filled.includes(buffer))).toEqual([]);
    await others.return?.();
  });

  it('use the same memory again for the next download', async () => {
    const [first, second] = [aFile({ pieces: 3 }), aFile({ pieces: 3 })];
    for (const { handle } of [first, second]) {
      for await (const piece of lendPieces(handle, undefined)) {
        expect(piece).toHaveLength(pieceBytes);
      }
    }

    expect(new Set([...first.filled, ...second.filled]).size).toBe(2);
  });

  it('keep their memory to themselves while the caller holds one of a download that was aborted', async () => {
    const [first, second] = [aFile({ pieces: 9 }), aFile({ pieces: 9 })];
    const controller = new AbortController();
    const aborted = lendPieces(first.handle, undefined, controller.signal);
    const { value: held } = (await aborted.next()) as IteratorYieldResult<Uint8Array>;

    controller.abort(new Error('gone'));
    await settled();
    expect(first.said.at(-1)).toBe('closed'); // the handle does not wait for the caller
    const others = lendPieces(second.handle, undefined);
    for (let read = 0; read < 3; read += 1) await others.next();

    expect(held.every((byte) => byte === 1)).toBe(true);
    await expect(aborted.next()).rejects.toThrow('gone');
    await others.return?.();
  });

  it('end with what went wrong, and with the file closed', async () => {
    const file = aFile({ pieces: 3 });
    const pieces = lendPieces(file.handle, undefined);
    file.isHeld = true;
    const asked = pieces.next();
    file.fails = true;
    file.release();

    await expect(asked).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage_unavailable',
    });

    expect(file.said).toEqual(['closed']);
    await expect(pieces.next()).resolves.toEqual({ done: true, value: undefined });
  });
});
