import { describe, expect, it } from '@jest/globals';
import type { JobOutcome } from '@gateway/queue';
import { createEndpointPushes } from '../../../services/callback-dispatcher/src/use-cases/endpoint-pushes.ts';

const done: JobOutcome = { kind: 'done' };

/** Pushes whose end each story decides. */
function aStage({ most = 10 } = {}) {
  const state = { now: 0, isClockRight: true, due: [] as string[] };
  const begun: string[] = [];
  const failures: string[] = [];
  const open = new Map<string, { end: (outcome: JobOutcome) => void; fail: () => void }>();
  const pushes = createEndpointPushes({
    findDue: () => Promise.resolve([{ accountId: 'acct_1', callbackIds: state.due }]),
    push: (callbackId, ending) => {
      begun.push(callbackId);
      return new Promise((resolve, reject) => {
        open.set(callbackId, {
          end: resolve,
          fail: () => {
            reject(new Error('no store'));
          },
        });
        ending.addEventListener('abort', () => {
          resolve({ kind: 'retry', afterMs: 1_000 });
        });
      });
    },
    isClockRight: () => state.isClockRight,
    onFailure: (callbackId) => failures.push(callbackId),
    ending: new AbortController(),
    now: () => state.now,
    most,
    retryMs: 5_000,
  });
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });
  return { state, begun, failures, open, pushes, turn };
}

describe('pushes to endpoints', () => {
  it('begin with what is due, each once while it is under way', async () => {
    const { state, begun, open, pushes, turn } = aStage();
    state.due = ['a.1', 'b.1'];

    await pushes.round();
    await pushes.round();
    pushes.start(['a.1']);
    expect(begun).toEqual(['a.1', 'b.1']);

    open.get('a.1')!.end(done);
    await turn();
    await pushes.round();
    expect(begun).toEqual(['a.1', 'b.1', 'a.1']);
  });

  it('are no more at once than may be, and none while the clock is wrong', async () => {
    const { state, begun, pushes } = aStage({ most: 2 });
    state.due = ['a.1', 'b.1', 'c.1'];
    state.isClockRight = false;

    await pushes.round();
    expect(begun).toEqual([]);
    state.isClockRight = true;
    await pushes.round();
    expect(begun).toEqual(['a.1', 'b.1']);
  });

  it('rest for as long as was said, and a second at most', async () => {
    const { state, begun, open, pushes, turn } = aStage();
    state.due = ['a.1'];
    await pushes.round();
    open.get('a.1')!.end({ kind: 'retry', afterMs: 60_000 });
    await turn();

    state.now = 999;
    await pushes.round();
    expect(begun).toEqual(['a.1']);
    state.now = 1_000;
    await pushes.round();
    expect(begun).toEqual(['a.1', 'a.1']);
  });

  it('go on by themselves after a fault of ours: their claim hides them from the tables', async () => {
    const { state, begun, failures, open, pushes, turn } = aStage();
    state.due = ['a.1'];
    await pushes.round();
    state.due = [];
    open.get('a.1')!.fail();
    await turn();
    expect(failures).toEqual(['a.1']);

    state.now = 4_999;
    await pushes.round();
    expect(begun).toEqual(['a.1']);
    state.now = 5_000;
    await pushes.round();
    expect(begun).toEqual(['a.1', 'a.1']);
    open.get('a.1')!.end(done);
    await turn();
    state.now = 20_000;
    await pushes.round();
    expect(begun).toEqual(['a.1', 'a.1']);
  });

  it('are handed back when the process ends, and none begins any more', async () => {
    const { state, begun, pushes } = aStage();
    state.due = ['a.1'];
    await pushes.round();

    await pushes.stop(0);

    await pushes.round();
    expect(begun).toEqual(['a.1']);
  });
});
