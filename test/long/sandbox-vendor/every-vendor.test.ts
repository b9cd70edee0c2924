/** @workers 3: it promises no times. */
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import type { PollOutcome, Submission, VideoProvider } from '@gateway/video-providers';
import {
  accepted,
  ended,
  kinds,
  linkIn,
  providerOf,
  seenAt,
  soon,
  statusAt,
  submissionTo,
  useSandbox,
  vendors,
  type TableVendor,
} from './tables-stage.ts';

useSandbox();

describe.each(kinds)('the simulated vendor %s', (kind) => {
  const { expires, cancels, hidesModels = false }: TableVendor = vendors[kind];
  const provider = (): VideoProvider => providerOf(kind);
  const submit = (prompt: string, more: Partial<Submission> = {}) =>
    provider().submit(submissionTo(kind, prompt, more), soon());
  const taken = (prompt: string): Promise<string> => accepted(provider(), kind, prompt);

  it('makes a video of the length that was asked for, which can be fetched', async () => {
    const outcome = await ended(provider(), await taken('a cat'));

    expect(outcome.kind === 'succeeded' && (outcome.output.seconds ?? 5)).toBe(5);
    expect(outcome).not.toHaveProperty('drift');
    expect(await statusAt(linkIn(outcome))).toBe(200);
  });

  it.each<[string, string, string]>([
    ['[reject]', 'refused', 'invalid_request'],
    ['[moderate-input]', 'refused', 'content_policy'],
    ['[overdue]', 'unavailable', 'account'],
    ['[busy]', 'busy', ''],
    ['[rate-limited]', 'busy', ''],
    ['[lose-answer]', 'unknown', ''],
    ['[slow=x]', 'refused', 'invalid_request'],
  ])('obeys %s at creation', async (directive, outcomeKind, why) => {
    const outcome = await submit(`${directive} x`);

    expect(outcome.kind).toBe(outcomeKind);
    if (why !== '') expect(Object.values(outcome)).toContain(why);
    expect(outcome).not.toHaveProperty('drift');
  });

  it.each([
    ['[fail]', 'vendor_error'],
    ['[moderate]', 'content_policy'],
    ['[no-output]', 'no_output'],
    ...(expires === undefined ? [] : [['[expire]', expires] as const]),
  ])('ends as %s says', async (directive, failure) => {
    expect(await ended(provider(), await taken(`${directive} x`))).toMatchObject({
      kind: 'failed',
      failure,
    });
  });

  it('shows what goes wrong at polls, and the task after it', async () => {
    const id = await taken('[missing-polls=1] [poll-errors=3] [odd-status=1] x');
    const seen: PollOutcome[] = [];
    for (let poll = 1; poll <= 5; poll += 1) seen.push(await provider().poll(id, soon()));

    expect(seen.map((one) => one.kind)).toEqual(['missing', 'error', 'error', 'error', 'pending']);
    expect(seen[4]).toMatchObject({ drift: { kind: 'status', example: 'preparing' } });
    expect(await ended(provider(), id)).toMatchObject({ kind: 'succeeded' });
  });

  it('knows its key, its models and its tasks', async () => {
    const stranger = providerOf(kind, { apiKey: 'another-key' });
    const id = await taken('[stall] x');
    const model = kind === 'fal' ? 'alibaba/wan-2.0/text-to-video' : 'nothing';

    expect(await submit('x', { upstreamModel: model })).toMatchObject(
      hidesModels ? { kind: 'refused' } : { kind: 'unavailable', cause: 'model' },
    );
    expect((await provider().poll(id.replace(/[^/]+$/, 'nothing'), soon())).kind).toBe('missing');
    expect(await stranger.submit(submissionTo(kind, 'x'), soon())).toMatchObject({
      kind: 'unavailable',
      cause: 'account',
    });
    if (stranger.askServing === undefined) return;
    expect(await stranger.askServing(soon())).toMatchObject({ kind: 'not_serving' });
    expect(await provider().askServing?.(soon())).toEqual({ kind: 'serving' });
  });

  it(`${cancels ? 'cancels' : 'does not cancel'} a task that is being made`, async () => {
    const id = await taken('[slow=60] x');
    await eventually(async () => {
      expect(await seenAt(id)).toMatchObject({ status: 'running' });
    });

    expect((await provider().cancel(id, soon())).kind).toBe(
      cancels ? 'cancelled' : 'not_cancellable',
    );
  });

  it('is found by our name where the format has names', async () => {
    const { find } = provider();
    if (find === undefined) return;
    const outcome = await submit('x', { correlation: 'video_twice' });
    await submit('x', { correlation: 'video_once' });
    await submit('x', { correlation: 'video_twice' });
    const named = (correlation: string) => find({ correlation, since: new Date(0) }, soon());

    expect(outcome.kind).toBe('accepted');
    expect((await named('video_twice')).kind).toBe('several');
    expect((await named('video_once')).kind).toBe('found');
    expect((await named('video_never')).kind).toBe('none');
  });

  it('is polled in a batch where the format has one', async () => {
    const { pollMany } = provider();
    if (pollMany === undefined) return;
    const [done, late] = [await taken('x'), await taken('[missing-polls=1] x')];
    await ended(provider(), done);

    const outcome = await pollMany.poll([done, late, 'nothing'], soon());

    expect(outcome.kind === 'answered' && [...outcome.outcomes.keys()]).toEqual([done]);
  });
});
