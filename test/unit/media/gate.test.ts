import { describe, expect, it } from '@jest/globals';
import { createGate } from '../../../packages/media/src/gate.ts';

/** Work that ends when it is told to. */
function held() {
  let end: (said: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}
const passed = async (): Promise<void> => {
  await new Promise(setImmediate);
};

describe('a gate', () => {
  it('lets so many in at once, and the others in their order', async () => {
    const enter = createGate(2);
    const pieces = [held(), held(), held(), held()];
    const begun: number[] = [];
    const all = pieces.map(({ work }, index) =>
      enter(() => {
        begun.push(index);
        return work();
      }),
    );
    await passed();
    expect(begun).toEqual([0, 1]);

    pieces[1]!.end('b');
    await passed();
    expect(begun).toEqual([0, 1, 2]);

    for (const { end } of pieces) end('x');
    expect(await Promise.all(all)).toEqual(['x', 'b', 'x', 'x']);
  });

  it('goes on behind work that fails', async () => {
    const enter = createGate(1);
    const failing = enter(() => Promise.reject(new Error('no')));
    const next = enter(() => Promise.resolve('next'));

    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  it('sends away who is called off while it waits, and nobody else', async () => {
    const enter = createGate(1);
    const first = held();
    const called = new AbortController();
    const began = enter(first.work);
    const waiting = enter(() => Promise.resolve('never'), called.signal);
    const last = enter(() => Promise.resolve('last'));
    called.abort(new Error('called off'));

    await expect(waiting).rejects.toThrow('called off');
    await expect(enter(() => Promise.resolve('late'), called.signal)).rejects.toThrow('called off');
    first.end('first');
    expect(await Promise.all([began, last])).toEqual(['first', 'last']);
    expect(await enter(() => Promise.resolve('again'))).toBe('again');
  });
});
