/** @workers 3: it promises no times. */
import { describe, expect, it } from '@jest/globals';
import type { ReferenceRole } from '@gateway/contracts';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { startSandboxVendor } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';
import {
  accepted,
  ended,
  linkIn,
  providerOf,
  sandbox,
  seenAt,
  soon,
  statusAt,
  submissionTo,
  useSandbox,
} from './tables-stage.ts';

useSandbox();

describe('what one of these vendors does and no other', () => {
  it('xai says what a video has cost, also of one that it withholds', async () => {
    const provider = providerOf('xai');
    const done = await ended(provider, await accepted(provider, 'xai', 'x'));
    const withheld = await ended(provider, await accepted(provider, 'xai', '[moderate] x'));

    const cost = { amount: expect.stringMatching(/^0\.70*$/), currency: 'USD' };
    expect(done).toMatchObject({ output: { cost } });
    expect(withheld).toMatchObject({ failure: 'content_policy', usage: { cost } });
  });

  it('luma signs a link that has run out anew', async () => {
    const brief = await startSandboxVendor({ SANDBOX_LINK_TTL_SECONDS: '1' });
    try {
      const provider = providerOf('luma', { at: brief });
      const id = await accepted(provider, 'luma', 'x');
      const old = linkIn(await ended(provider, id));
      await eventually(async () => {
        expect(await statusAt(old)).toBe(403);
      });

      expect(linkIn(await provider.poll(id, soon()))).not.toBe(old);
    } finally {
      await brief.stop();
    }
  });

  it('luma creates nothing while its image service is away, which may be tried again', async () => {
    const url = 'http://127.0.0.1:9/ingestion-unavailable';
    const references = [{ kind: 'image', role: 'first_frame', url }] as const;

    expect(
      await providerOf('luma').submit(submissionTo('luma', 'x', { references }), soon()),
    ).toMatchObject({ kind: 'busy' });
  });

  it('runway cancels a running task, and the adapter leaves a finished one alone', async () => {
    const provider = providerOf('runway');
    const running = await accepted(provider, 'runway', '[stall] x');
    const done = await accepted(provider, 'runway', 'x');
    await ended(provider, done);
    await eventually(async () => {
      expect(await provider.poll(running, soon())).toMatchObject({ vendorStatus: 'running' });
    });

    expect(await provider.cancel(running, soon())).toEqual({ kind: 'cancelled' });
    expect(await provider.poll(running, soon())).toMatchObject({ failure: 'cancelled' });
    expect(await provider.cancel(done, soon())).toMatchObject({ kind: 'not_cancellable' });
    expect(await provider.poll(done, soon())).toMatchObject({ kind: 'succeeded' });
  });

  it('runway hosts a model that has other words for a picture', async () => {
    const provider = providerOf('runway');
    const fields = { upstreamModel: 'hailuo3', resolution: '768p', ratio: '1:1' };

    const id = await accepted(provider, 'runway', 'x', fields);

    expect(await ended(provider, id)).toMatchObject({ kind: 'succeeded' });
  });

  it('fal gives a result only after timeouts, which say nothing of it', async () => {
    const provider = providerOf('fal');
    const id = await accepted(provider, 'fal', '[poll-errors=3] x');

    expect(await ended(provider, id)).toMatchObject({ kind: 'succeeded' });
  });

  it('fal runs a failed request again unless it is told not to', async () => {
    const provider = providerOf('fal');
    const id = await accepted(provider, 'fal', '[fail] x');
    const withoutHeader = await fetch(`${sandbox().url}/fal/bytedance/seedance-2.5/text-to-video`, {
      method: 'POST',
      headers: { authorization: `Key ${sandbox().apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: '[fail] x', duration: '5' }),
    });
    const { request_id: other } = (await withoutHeader.json()) as { request_id: string };

    expect(await ended(provider, id)).toMatchObject({ kind: 'failed' });
    expect(await provider.poll(`bytedance/seedance-2.5/${other}`, soon())).toMatchObject({
      kind: 'pending',
    });
  });

  it.each([
    ['text', undefined],
    ['image', 'first_frame'],
    ['reference', 'reference_image'],
  ] as const)('fal is asked at its endpoint for a %s', async (_mode, role) => {
    const provider = providerOf('fal');
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const references = role === undefined ? [] : [{ kind: 'image' as const, role, url }];

    const id = await accepted(provider, 'fal', 'x', { references });

    const seen = (await seenAt(id)) as { inputs: { role: string }[] };
    expect(seen.inputs.map((input) => input.role)).toEqual(role === undefined ? [] : [role]);
    expect(id).toMatch(/^bytedance\/seedance-2\.5\/[^/]+$/);
  });

  it('dashscope charges the seconds of a clip, to the fraction, beside those it made', async () => {
    const provider = providerOf('dashscope');
    const url = 'https://clips.example/one.mp4';
    const references = [{ kind: 'video', role: 'reference_video', url }] as const;

    const done = await ended(provider, await accepted(provider, 'dashscope', 'x', { references }));

    expect(done).toMatchObject({ output: { seconds: 5, chargedSeconds: 7.5, resolution: '720p' } });
  });

  it('google-omni puts the file into the response, and the adapter takes it out', async () => {
    const provider = providerOf('google-omni');
    const id = await accepted(provider, 'google-omni', '[inline] x');

    const done = await ended(provider, id);
    const file = await provider.readFile!(id, soon());

    expect(done).toMatchObject({ output: { isInline: true, completionTokens: 5 * 5_792 } });
    const bytes = file.kind === 'file' ? file.bytes : new Uint8Array();
    expect((await probeMp4(sourceFromBytes(bytes))).seconds).toBeCloseTo(5, 1);
  });

  it('google-omni says 400 now and then, which means nothing', async () => {
    const provider = providerOf('google-omni');
    const id = await accepted(provider, 'google-omni', '[spurious-400=1] x');

    expect(await provider.poll(id, soon())).toMatchObject({ kind: 'error' });
    expect(await ended(provider, id)).toMatchObject({ kind: 'succeeded' });
  });

  it('google-omni has charged a video that its response does not hold', async () => {
    const provider = providerOf('google-omni');

    expect(
      await ended(provider, await accepted(provider, 'google-omni', '[no-output] x')),
    ).toMatchObject({ failure: 'no_output', usage: { completionTokens: 5 * 5_792 } });
  });

  it.each<[roles: readonly ReferenceRole[], model: string]>([
    [[], 'viduq3-pro'],
    [['first_frame'], 'viduq3-pro'],
    [['last_frame', 'first_frame'], 'viduq3-pro'],
    [['reference_image', 'reference_image'], 'viduq3-mix'],
  ])('vidu is asked at the endpoint of %j', async (roles, upstreamModel) => {
    const provider = providerOf('vidu');
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const references = roles.map((role) => ({ kind: 'image' as const, role, url }));

    const id = await accepted(provider, 'vidu', 'x', { references, upstreamModel });

    const { inputs } = (await seenAt(id)) as { inputs: { role: string }[] };
    expect(inputs.map(({ role }) => role).sort()).toEqual([...roles].sort());
  });

  it('vidu refuses a model that another endpoint has, which stops nobody else', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const references = [{ kind: 'image', role: 'reference_image', url }] as const;

    expect(
      await providerOf('vidu').submit(submissionTo('vidu', 'x', { references }), soon()),
    ).toMatchObject({ kind: 'refused', failure: 'invalid_request' });
  });

  it('vidu ends a task that was called off as cancelled', async () => {
    const provider = providerOf('vidu');
    const id = await accepted(provider, 'vidu', '[stall] x');

    expect(await provider.cancel(id, soon())).toEqual({ kind: 'cancelled' });
    expect(await provider.poll(id, soon())).toMatchObject({ failure: 'cancelled' });
  });
});
