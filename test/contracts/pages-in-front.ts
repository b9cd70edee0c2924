import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Submission, VideoProvider } from '@gateway/video-providers';
import {
  startScriptedVendor,
  type ScriptedResponse,
  type ScriptedVendor,
} from './scripted-vendor.ts';
import type { ProviderUnderTest } from './vendor-script.ts';

/** What something in front of a vendor may say in its place, whatever the status. */
export const pages: Readonly<Record<string, Omit<ScriptedResponse, 'status'>>> = {
  HTML: {
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><html><head><title>Sign in</title></head><body>Sign in</body></html>',
  },
  nothing: {},
  text: { headers: { 'content-type': 'text/plain' }, body: 'RBAC: access denied' },
  'JSON cut short': {
    headers: { 'content-type': 'application/json' },
    body: '{"error":{"code":"InvalidParameter","type":"invalid_request_error","message":"bad',
  },
  'JSON of a proxy': { body: { message: 'no healthy upstream', request_id: '9f2c' } },
  'JSON of a framework': {
    body: { timestamp: '2026-01-01T00:00:00Z', status: 'failed', error: 'Forbidden', path: '/v1' },
  },
  'JSON that is no object': { body: ['forbidden'] },
};

/** Certain not to have reached the vendor: something in front of it refuses these itself. */
export const refusedInFront: readonly number[] = [400, 401, 402, 403, 404, 405, 407, 413, 451, 511];
/** Nobody knows whether the vendor has read the request. */
export const uncertain: readonly number[] = [200, 302, 307, 408, 409, 499, 500, 502, 503, 504, 524];
const statuses = [...refusedInFront, 429, ...uncertain];

const usualTaskId = 'cgt-20260101000000-abcde';
const soon = (): AbortSignal => AbortSignal.timeout(5_000);
const submission: Submission = {
  correlation: 'video_01h455vb4pex5vsknk084sn02q',
  upstreamModel: 'model-1',
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

/** How a creation that got a page with this status must be read. */
const kindAtCreation = (status: number): string => {
  if (status === 429) return 'busy';
  return refusedInFront.includes(status) ? 'unavailable' : 'unknown';
};

/** A page of something in front of the vendor says nothing about a task. */
export function itIsNotDeceivedByPages(name: string, open: () => ProviderUnderTest): void {
  describe(`${name} behind something that responds in its place`, () => {
    const { script, create } = open();
    const { vendorTaskId = usualTaskId } = script;
    let vendor: ScriptedVendor;
    let provider: VideoProvider;
    beforeAll(async () => {
      vendor = await startScriptedVendor(script.callOf);
      provider = create({
        baseUrl: `${vendor.url}${script.basePath}`,
        apiKey: 'key-0123456789',
        timeoutMs: 5_000,
      });
    });
    afterAll(() => vendor.stop());

    /** The outcome of each page with this status. */
    const outcomesOf = async (
      status: number,
      call: Parameters<ScriptedVendor['on']>[0],
      ask: () => Promise<{ readonly kind: string } | undefined>,
    ): Promise<Record<string, string | undefined>> => {
      const found: Record<string, string | undefined> = {};
      for (const [page, fields] of Object.entries(pages)) {
        vendor.on(call, { status, ...fields });
        found[page] = (await ask())?.kind;
      }
      return found;
    };
    const allOf = (kind: string): Record<string, string> =>
      Object.fromEntries(Object.keys(pages).map((page) => [page, kind]));

    it.each(statuses)('knows what a creation came to that got %i', async (status) => {
      const submit = (): Promise<{ kind: string }> => provider.submit(submission, soon());

      expect(await outcomesOf(status, 'create', submit)).toEqual(allOf(kindAtCreation(status)));
    });

    it('says that it is a page, so that nobody looks for the fault in the account', async () => {
      vendor.on('create', { status: 403, ...pages['HTML'] });

      expect(await provider.submit(submission, soon())).toMatchObject({
        kind: 'unavailable',
        cause: 'page',
        detail: expect.stringContaining('403'),
      });
    });

    it.each([401, 403, 404])('ends nothing at a poll that got %i', async (status) => {
      const poll = (): Promise<{ kind: string }> => provider.poll(vendorTaskId, soon());

      expect(await outcomesOf(status, 'poll', poll)).toEqual(allOf('error'));
    });

    it('ends nothing at a poll, a search or a batch, whatever the status', async () => {
      const { find, pollMany } = provider;
      for (const status of statuses) {
        const poll = (): Promise<{ kind: string }> => provider.poll(vendorTaskId, soon());
        expect([status, await outcomesOf(status, 'poll', poll)]).toEqual([status, allOf('error')]);
        if (find === undefined || pollMany === undefined) continue;
        const search = (): Promise<{ kind: string }> =>
          find({ correlation: 'video_1', since: new Date() }, soon());
        expect([status, await outcomesOf(status, 'list', search)]).toEqual([
          status,
          allOf('error'),
        ]);
        const batch = (): Promise<{ kind: string }> => pollMany.poll([vendorTaskId], soon());
        expect([status, await outcomesOf(status, 'list', batch)]).toEqual([status, allOf('error')]);
      }
    });

    if (script.cancel === undefined) return;
    it.each(statuses)('takes no page for an outcome of a cancellation: %i', async (status) => {
      vendor.on('poll', script.task.queued(vendorTaskId));
      const cancel = (): Promise<{ kind: string }> => provider.cancel(vendorTaskId, soon());

      expect(await outcomesOf(status, 'cancel', cancel)).toEqual(allOf('error'));
    });
  });
}
