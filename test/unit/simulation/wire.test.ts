import { describe, expect, it } from '@jest/globals';
import type { PollOutcome, SubmitOutcome, VideoProvider } from '@gateway/video-providers';
import { createDice } from '../../chaos/random.ts';
import {
  listingKind,
  otherKinds,
  scriptOf,
  type WireKind,
} from '../../simulation/actors/wire-formats.ts';
import type { ToldEnd } from '../../simulation/actors/wire-words.ts';
import { speakWire, wireIdOf } from '../../simulation/actors/wire.ts';

const soon = new AbortController().signal;
const createdAt = new Date('2026-11-25T12:00:00Z');
const submission = {
  correlation: 'video_01h455vb4pex5vsknk084sn02q',
  upstreamModel: 'simulated-1',
  prompt: 'a cat on a roof',
  references: [],
  ratio: '16:9',
  duration: 5,
  resolution: '720p',
  watermark: false,
  seed: null,
  generateAudio: false,
  returnLastFrame: true,
  unsupported: [],
  expiresAfterSeconds: 86_400,
};

/** The adapter of a kind before a vendor that has these things to say. */
function adapterOf(
  kind: WireKind,
  model: Partial<VideoProvider>,
  { isQueued = false, ends }: { isQueued?: boolean; ends?: Map<string, ToldEnd> } = {},
) {
  const says = { ...model, capabilities: {} } as VideoProvider;
  return (seed: number): VideoProvider =>
    speakWire(says, {
      kind,
      dice: createDice(seed),
      ends: ends ?? new Map<string, ToldEnd>(),
      isQueued: () => isQueued,
      createdAt: () => createdAt,
    });
}

const succeeded: PollOutcome = {
  kind: 'succeeded',
  output: { videoUrl: 'https://files.example/1', seconds: 5 },
};
const usageIn = (end: PollOutcome) =>
  end.kind === 'succeeded' ? end.output : end.kind === 'failed' && end.usage;
const isInline = (end: PollOutcome): boolean =>
  end.kind === 'succeeded' && end.output.isInline === true;

const kinds = [listingKind, ...otherKinds];
/** Enough to see each way to say the same. */
const seeds = Array.from({ length: 40 }, (_, seed) => seed);

describe.each(kinds)('the adapter of %s before a model', (kind) => {
  const id = wireIdOf(kind, 'lister-1');

  it.each<SubmitOutcome>([
    { kind: 'accepted', vendorTaskId: id },
    { kind: 'not_sent', detail: '' },
    { kind: 'busy', detail: '' },
    { kind: 'unavailable', cause: 'page', detail: '' },
    { kind: 'refused', failure: 'content_policy', detail: '' },
    { kind: 'unknown', detail: '' },
  ])('reads that a creation is $kind', async (outcome) => {
    const adapter = adapterOf(kind, { submit: () => Promise.resolve(outcome) });
    for (const seed of seeds) {
      const read = await adapter(seed).submit(submission, soon);
      expect(read.kind).toBe(outcome.kind);
      if (read.kind === 'accepted') expect(read.vendorTaskId).toBe(id);
    }
  });

  it.each<PollOutcome>([
    { kind: 'pending', vendorStatus: 'running' },
    { kind: 'succeeded', output: { videoUrl: 'https://files.example/1', seconds: 5 } },
    { kind: 'failed', failure: 'vendor_error', detail: '' },
    { kind: 'failed', failure: 'no_output', detail: '' },
    { kind: 'failed', failure: 'cancelled', detail: '' },
    { kind: 'missing', detail: '' },
    { kind: 'error', detail: '' },
  ])('reads that a task is $kind', async (outcome) => {
    const adapter = adapterOf(kind, { poll: () => Promise.resolve(outcome) });
    for (const seed of seeds) expect((await adapter(seed).poll(id, soon)).kind).toBe(outcome.kind);
  });

  it.each<PollOutcome>([
    succeeded,
    { kind: 'failed', failure: 'vendor_error', detail: '' },
    { kind: 'failed', failure: 'no_output', detail: '' },
  ])('tells the same end each time, with the charge that it states: $kind', async (outcome) => {
    for (const seed of seeds) {
      const ends = new Map<string, ToldEnd>();
      const says = { poll: () => Promise.resolve(outcome) };
      const adapter = adapterOf(kind, says, { ends })(seed);
      const read = await adapter.poll(id, soon);
      expect(await adapter.poll(id, soon)).toEqual(read);
      const { charge } = ends.get(id)!;
      if (charge !== undefined) expect(usageIn(read)).toMatchObject(charge.usage);
    }
  });

  it('reads a file inside a response, where the vendor sends one', async () => {
    const says = { poll: () => Promise.resolve(succeeded) };
    const adapters = seeds.map(adapterOf(kind, says));
    const ends = await Promise.all(adapters.map((adapter) => adapter.poll(id, soon)));
    expect(ends.some(isInline)).toBe(scriptOf(kind).task.inline !== undefined);
    const adapter = adapters[ends.findIndex(isInline)];
    if (adapter === undefined) return;
    const file = await adapter.readFile!(id, soon);
    expect(file).toMatchObject({ kind: 'file', bytes: Buffer.from('https://files.example/1') });
  });

  it('cancels a task that waits, where the vendor can', async () => {
    const adapter = adapterOf(
      kind,
      {
        poll: () => Promise.resolve({ kind: 'pending', vendorStatus: 'running' }),
        cancel: () => Promise.resolve({ kind: 'cancelled' }),
      },
      { isQueued: true },
    );
    const canCancel = scriptOf(kind).cancel !== undefined;
    expect((await adapter(1).cancel(id, soon)).kind).toBe(
      canCancel ? 'cancelled' : 'not_cancellable',
    );
  });
});

describe('the adapter of a vendor with a list, before a model', () => {
  const model: Partial<VideoProvider> = {
    find: () => Promise.reject(new Error('the adapter reads the list')),
    list: () =>
      Promise.resolve({
        kind: 'listed',
        tasks: [
          { vendorTaskId: 'lister-1', correlation: 'video_1' },
          { vendorTaskId: 'lister-2', correlation: 'video_2' },
        ],
      }),
    pollMany: {
      maxIds: 2,
      perSecond: 1,
      poll: (ids) =>
        Promise.resolve({
          kind: 'answered',
          asked: ids.length,
          outcomes: new Map([[ids[0]!, { kind: 'pending', vendorStatus: 'running' }]]),
        }),
    },
  };
  const adapter = adapterOf(listingKind, model)(1);
  const since = new Date(createdAt.getTime() - 1_000);

  it('finds a task by what it was sent with, and lists all', async () => {
    expect(await adapter.find!({ correlation: 'video_2', since }, soon)).toEqual({
      kind: 'found',
      vendorTaskId: 'lister-2',
    });
    expect(await adapter.find!({ correlation: 'video_3', since }, soon)).toEqual({ kind: 'none' });
    expect(await adapter.list!({ since }, soon)).toMatchObject({
      kind: 'listed',
      tasks: [{ correlation: 'video_2' }, { correlation: 'video_1' }],
    });
  });

  it('asks about many at once', async () => {
    const many = await adapter.pollMany!.poll(['lister-1', 'lister-2'], soon);
    expect(many).toMatchObject({ kind: 'answered', asked: 2 });
    expect(many.kind === 'answered' && [...many.outcomes.keys()]).toEqual(['lister-1']);
  });
});
