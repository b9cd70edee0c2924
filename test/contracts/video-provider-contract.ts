import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderConnection, Submission, VideoProvider } from '@gateway/video-providers';
import { eventually } from './eventually.ts';
import { itIsNotDeceivedByPages } from './pages-in-front.ts';
import {
  closedAddress,
  startScriptedVendor,
  type ScriptedResponse,
  type ScriptedVendor,
} from './scripted-vendor.ts';
import type { ProviderUnderTest } from './vendor-script.ts';

const apiKey = 'key-0123456789-never-shown';
const usualTaskId = 'cgt-20260101000000-abcde';
const videoUrl = 'https://files.example/v.mp4?sig=1';
const since = new Date('2026-01-01T00:00:00Z');
const html502: ScriptedResponse = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><body>502 Bad Gateway</body></html>',
};
const soon = (): AbortSignal => AbortSignal.timeout(5_000);

const aSubmission = (fields: Partial<Submission> = {}): Submission => ({
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
  ...fields,
});

/** What every video provider promises, against a vendor that misbehaves in every known way. */
export function itKeepsTheVideoProviderContract(name: string, open: () => ProviderUnderTest): void {
  itIsNotDeceivedByPages(name, open);
  describe(`${name} as a video provider`, () => {
    const { script, create } = open();
    const { vendorTaskId = usualTaskId } = script;
    let vendor: ScriptedVendor;
    let provider: VideoProvider;
    const connection = (fields: Partial<ProviderConnection> = {}): ProviderConnection => ({
      baseUrl: `${vendor.url}${script.basePath}`,
      apiKey,
      timeoutMs: 5_000,
      ...fields,
    });

    beforeEach(async () => {
      vendor = await startScriptedVendor(script.callOf);
      provider = create(connection());
    });
    afterEach(() => vendor.stop());

    describe('submitting', () => {
      it('gives the id of the accepted task, which survives a trip through JSON', async () => {
        vendor.on('create', script.create.accepted(vendorTaskId));

        const outcome = await provider.submit(aSubmission(), soon());

        expect(outcome).toEqual({ kind: 'accepted', vendorTaskId });
        expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
        expect(vendor.seen).toHaveLength(1);
      });

      it('goes out on a connection of its own, since a kept one may be dead already', async () => {
        vendor.on('poll', script.task.queued(vendorTaskId));
        vendor.on('create', script.create.accepted(vendorTaskId));

        await provider.poll(vendorTaskId, soon());
        await provider.submit(aSubmission(), soon());

        const [poll, submit] = vendor.seen;
        expect(submit!.callerPort).not.toBe(poll!.callerPort);
      });

      it('is refused for bad input, with the vendor’s sentence cleaned for the customer', async () => {
        vendor.on(
          'create',
          script.create.refused(
            'The image is too small. Request id: 0217abcdef0123456789, see https://vendor.example/x',
          ),
        );

        const outcome = await provider.submit(aSubmission(), soon());

        expect(outcome).toMatchObject({
          kind: 'refused',
          failure: 'invalid_request',
          reason: expect.stringContaining('The image is too small.'),
        });
        expect(outcome).toMatchObject({
          reason: expect.not.stringMatching(/0217|vendor\.example/),
        });
        expect(vendor.seen).toHaveLength(1);
      });

      it('is refused for content', async () => {
        vendor.on('create', script.create.moderated);

        expect(await provider.submit(aSubmission(), soon())).toMatchObject({
          kind: 'refused',
          failure: 'content_policy',
        });
        expect(vendor.seen).toHaveLength(1);
      });

      it('is unavailable, not refused, when the vendor does not serve the operator’s account', async () => {
        vendor.on('create', script.create.accountUnusable);

        const outcome = await provider.submit(aSubmission(), soon());

        expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'account' });
        expect(outcome).not.toHaveProperty('reason');
        expect(vendor.seen).toHaveLength(1);
      });

      it('is busy for as long as the vendor says', async () => {
        vendor.on('create', script.create.busy);

        expect(await provider.submit(aSubmission(), soon())).toMatchObject({
          kind: 'busy',
          retryAfterMs: 7_000,
        });
        expect(vendor.seen).toHaveLength(1);
      });

      it('is not sent when nobody listens', async () => {
        const outcome = await create(connection({ baseUrl: await closedAddress() })).submit(
          aSubmission(),
          soon(),
        );

        expect(outcome).toMatchObject({
          kind: 'not_sent',
          detail: expect.stringContaining('ECONNREFUSED'),
        });
      });

      it('is not sent when it was called off before', async () => {
        expect(await provider.submit(aSubmission(), AbortSignal.abort())).toMatchObject({
          kind: 'not_sent',
        });
        expect(vendor.seen).toHaveLength(0);
      });

      it.each(['drop', 'cut'] as const)(
        'is unknown when the response is lost: %s',
        async (reaction) => {
          vendor.on('create', reaction);

          expect(await provider.submit(aSubmission(), soon())).toMatchObject({ kind: 'unknown' });
          expect(vendor.seen).toHaveLength(1);
        },
      );

      it('is unknown when the vendor does not respond in time', async () => {
        vendor.on('create', 'silence');

        expect(
          await create(connection({ timeoutMs: 200 })).submit(aSubmission(), soon()),
        ).toMatchObject({ kind: 'unknown' });
        expect(vendor.seen).toHaveLength(1);
      });

      it('is unknown when it is called off after it was sent', async () => {
        vendor.on('create', 'silence');

        const stop = new AbortController();
        const outcome = provider.submit(aSubmission(), stop.signal);
        await eventually(() => vendor.seen.length === 1);
        stop.abort();

        expect(await outcome).toMatchObject({ kind: 'unknown' });
        expect(vendor.seen).toHaveLength(1);
      });

      for (const [name, { response, reads }] of Object.entries(script.create.insideSuccess ?? {})) {
        it(`reads a 200 that holds ${name} as what it is`, async () => {
          vendor.on('create', response);

          expect(await provider.submit(aSubmission(), soon())).toMatchObject(reads);
          expect(vendor.seen).toHaveLength(1);
        });
      }

      it.each<[string, ScriptedResponse]>([
        ['a 502 page of a proxy', html502],
        ['a 500 without a body', { status: 500 }],
        [
          'a 503 with JSON of somebody else',
          { status: 503, body: { message: 'no healthy upstream' } },
        ],
        ['a success that is not JSON', { status: 200, body: 'OK' }],
        ['a success without an id', script.create.withoutId],
        ['a redirect', { status: 307, headers: { location: '/elsewhere' } }],
        ['a response without end', { status: 200, body: `{"id":"${'x'.repeat(2_000_000)}"}` }],
      ])('is unknown after %s', async (_name, response) => {
        vendor.on('create', response);

        expect(await provider.submit(aSubmission(), soon())).toMatchObject({ kind: 'unknown' });
        expect(vendor.seen).toHaveLength(1);
      });

      it('says that the vendor has changed when a success has no id', async () => {
        vendor.on('create', script.create.withoutId);

        expect(await provider.submit(aSubmission(), soon())).toMatchObject({
          drift: { kind: 'response', example: expect.any(String) },
        });
      });
    });

    describe('polling', () => {
      it.each(['queued', 'running'] as const)('is pending while the task is %s', async (status) => {
        vendor.on('poll', script.task[status](vendorTaskId));

        expect(await provider.poll(vendorTaskId, soon())).toEqual({
          kind: 'pending',
          vendorStatus: expect.any(String),
        });
        expect(vendor.count('poll')).toBe(1);
      });

      const { withStatus } = script.task;
      if (withStatus !== undefined) {
        it('is pending for a status that nobody knows', async () => {
          vendor.on('poll', withStatus(vendorTaskId, 'contemplating'));

          expect(await provider.poll(vendorTaskId, soon())).toEqual({
            kind: 'pending',
            vendorStatus: 'contemplating',
            drift: { kind: 'status', example: 'contemplating' },
          });
        });
      }

      it('tells of a field that it does not know, and goes on', async () => {
        const { body, ...response } = script.task.running(vendorTaskId);
        vendor.on('poll', { ...response, body: { ...(body as object), brand_new: 1 } });

        expect(await provider.poll(vendorTaskId, soon())).toMatchObject({
          kind: 'pending',
          drift: { kind: 'field', example: 'brand_new' },
        });
      });

      it('succeeds with a link to the video', async () => {
        vendor.on('poll', script.task.succeeded(vendorTaskId, videoUrl));

        const expected = script.fileUrl?.(connection().baseUrl, vendorTaskId) ?? videoUrl;
        expect(await provider.poll(vendorTaskId, soon())).toMatchObject({
          kind: 'succeeded',
          output: { videoUrl: expected },
        });
      });

      it.each([
        ['withoutOutput', 'no_output'],
        ['failed', 'vendor_error'],
        ['moderated', 'content_policy'],
      ] as const)('fails: %s is %s', async (state, failure) => {
        vendor.on('poll', script.task[state](vendorTaskId));

        expect(await provider.poll(vendorTaskId, soon())).toMatchObject({
          kind: 'failed',
          failure,
        });
      });

      for (const ending of ['expired', 'cancelled'] as const) {
        const response = script.task[ending];
        if (response === undefined) continue;
        it(`fails as ${ending} when the vendor says so`, async () => {
          vendor.on('poll', response(vendorTaskId));

          expect(await provider.poll(vendorTaskId, soon())).toMatchObject({
            kind: 'failed',
            failure: ending,
          });
        });
      }

      it.each(Object.entries({ 'the usual way': script.task.missing, ...script.task.alsoMissing }))(
        'tells that the vendor does not know the task: %s',
        async (_name, response) => {
          vendor.on('poll', response);

          expect(await provider.poll(vendorTaskId, soon())).toMatchObject({ kind: 'missing' });
        },
      );

      it.each<[string, ScriptedResponse | 'drop' | 'cut']>([
        [
          'a 500',
          { status: 500, body: { error: { code: 'InternalServiceError', message: 'try later' } } },
        ],
        ['a 502 page', html502],
        [
          'a 404 page of a proxy',
          { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>404</html>' },
        ],
        [
          'a 401',
          { status: 401, body: { error: { code: 'AuthenticationError', message: 'bad key' } } },
        ],
        ['JSON cut short', { status: 200, body: '{"id":"cgt' }],
        ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
        ...Object.entries(script.task.garbage),
        [
          'a response larger than a task can be',
          { status: 200, body: `"${'x'.repeat(script.maxResponseBytes ?? 2_000_000)}"` },
        ],
        ['a dropped connection', 'drop'],
        ['half a response', 'cut'],
      ])('says nothing about the task after %s', async (_name, reaction) => {
        vendor.on('poll', reaction);

        expect(await provider.poll(vendorTaskId, soon())).toMatchObject({
          kind: 'error',
          detail: expect.stringMatching(/./),
        });
      });

      for (const [name, { response, usage }] of Object.entries(script.task.charged ?? {})) {
        it(`tells what the vendor charges: ${name}`, async () => {
          vendor.on('poll', response(vendorTaskId, videoUrl));

          const outcome = await provider.poll(vendorTaskId, soon());
          expect(outcome).toMatchObject({ kind: 'succeeded', output: usage });
          expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
        });
      }

      for (const [name, failed] of Object.entries(script.task.chargedFailures ?? {})) {
        const { response, failure, usage } = failed;
        it(`tells what the vendor charges for a failure: ${name}`, async () => {
          vendor.on('poll', response(vendorTaskId));

          const outcome = await provider.poll(vendorTaskId, soon());
          expect(outcome).toMatchObject({ kind: 'failed', failure });
          expect(outcome.kind === 'failed' && outcome.usage).toEqual(usage);
        });
      }

      it('passes on how long the vendor wants to be left alone', async () => {
        vendor.on('poll', { ...script.create.busy });

        expect(await provider.poll(vendorTaskId, soon())).toMatchObject({
          kind: 'error',
          retryAfterMs: 7_000,
        });
      });

      it('says nothing about the task when nobody listens', async () => {
        expect(
          await create(connection({ baseUrl: await closedAddress() })).poll(vendorTaskId, soon()),
        ).toMatchObject({ kind: 'error' });
      });
    });

    describe('reading a file out of a response', () => {
      const { inline } = script.task;
      if (inline === undefined) {
        it('is not offered', () => {
          expect(provider.readFile).toBeUndefined();
        });
        return;
      }
      const bytes = Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 7919) % 251);
      const read = () => provider.readFile!(vendorTaskId, soon());

      it('says that the file is there, and keeps it out of what is recorded', async () => {
        vendor.on('poll', inline(vendorTaskId, bytes));

        const outcome = await provider.poll(vendorTaskId, soon());

        expect(outcome).toMatchObject({ kind: 'succeeded', output: { isInline: true } });
        expect(JSON.stringify(outcome).length).toBeLessThan(2_000);
      });

      it('gives the very bytes, of 5 MB', async () => {
        vendor.on('poll', inline(vendorTaskId, bytes));

        const file = await read();

        expect(file.kind).toBe('file');
        expect(file.kind === 'file' && Buffer.compare(file.bytes, bytes)).toBe(0);
      });

      it.each<[string, ScriptedResponse | 'drop' | 'cut']>([
        ['a 502 page', html502],
        ['a task without a file', script.task.running(vendorTaskId)],
        ['a link', script.task.succeeded(vendorTaskId, videoUrl)],
        ['an empty file', inline(vendorTaskId, new Uint8Array())],
        [
          'a response larger than it reads',
          { status: 200, body: `"${'x'.repeat(script.maxResponseBytes ?? 2_000_000)}"` },
        ],
        ['a dropped connection', 'drop'],
        ['half a response', 'cut'],
      ])('does not take %s for a file', async (_name, reaction) => {
        vendor.on('poll', reaction);

        expect(await read()).toMatchObject({ kind: 'error', detail: expect.stringMatching(/./) });
      });
    });

    describe('looking at many tasks at once', () => {
      const { many } = script;
      if (many === undefined) {
        it('is not offered', () => {
          expect(provider.pollMany).toBeUndefined();
        });
        return;
      }
      const ids = Array.from({ length: 5 }, (_, index) => `cgt-20260101000000-${index}`);
      const [queued, running, succeeded, failed, unlisted] = ids as [
        string,
        string,
        string,
        string,
        string,
      ];
      const poll = (vendorTaskIds: readonly string[] = ids) =>
        provider.pollMany!.poll(vendorTaskIds, soon());

      it('says of each task in the list what a look at it alone says, and nothing of the others', async () => {
        const responses: readonly (readonly [string, ScriptedResponse])[] = [
          [queued, script.task.queued(queued)],
          [running, script.task.running(running)],
          [succeeded, script.task.succeeded(succeeded, videoUrl)],
          [failed, script.task.failed(failed)],
        ];
        const alone: [string, unknown][] = [];
        for (const [id, response] of responses) {
          vendor.on('poll', response);
          alone.push([id, await provider.poll(id, soon())]);
        }
        vendor.on(
          'list',
          many.list([
            ...responses.map(([, response]) => response),
            script.task.failed('cgt-20260101000000-not-asked-for'),
          ]),
        );

        const response = await poll();

        expect(response).toMatchObject({ kind: 'answered', asked: 5 });
        expect(response.kind === 'answered' && [...response.outcomes]).toEqual(alone);
        expect(response.kind === 'answered' && response.outcomes.has(unlisted)).toBe(false);
      });

      it('names every id in one request', async () => {
        vendor.on('list', many.list([]));

        expect(await poll()).toEqual({ kind: 'answered', asked: 5, outcomes: new Map() });
        expect(vendor.seen.map(many.askedFor)).toEqual([ids]);
      });

      it('asks for as many ids at once as it promises, in a request line that usual servers take', async () => {
        vendor.on('list', many.list([]));
        const { maxIds } = provider.pollMany!;
        const crowd = Array.from(
          { length: maxIds + 1 },
          (_, index) => `cgt-20260101000000-${String(index).padStart(5, '0')}`,
        );

        expect(await poll(crowd)).toMatchObject({ asked: maxIds });
        expect(vendor.seen.map(many.askedFor)).toEqual([crowd.slice(0, maxIds)]);
        expect(vendor.seen[0]!.path.length).toBeLessThan(8_000);
      });

      it('asks for fewer when they are long, and says so', async () => {
        vendor.on('list', many.list([]));
        const crowd = Array.from(
          { length: provider.pollMany!.maxIds },
          (_, index) => `${index}-${'x'.repeat(200)}`,
        );

        const response = await poll(crowd);

        const [asked] = vendor.seen.map(many.askedFor) as [readonly string[]];
        expect(asked.length).toBeGreaterThan(5);
        expect(asked).toEqual(crowd.slice(0, asked.length));
        expect(response).toMatchObject({ kind: 'answered', asked: asked.length });
        expect(vendor.seen[0]!.path.length).toBeLessThan(8_000);
      });

      it('says nothing of a task that cannot be read', async () => {
        vendor.on(
          'list',
          many.list([
            script.task.queued(queued),
            { status: 200, body: { id: running } },
            { status: 200, body: 'x' },
            { status: 200, body: { status: 'failed' } },
          ]),
        );

        const response = await poll();

        expect(response.kind === 'answered' && [...response.outcomes.keys()]).toEqual([queued]);
      });

      it.each<[string, ScriptedResponse | 'drop' | 'cut']>([
        ['a 502 page', html502],
        ['garbage', { status: 200, body: '[' }],
        ['an object without a list', { status: 200, body: {} }],
        ['a dropped connection', 'drop'],
        ['half a response', 'cut'],
      ])('does not take %s for an empty list', async (_name, reaction) => {
        vendor.on('list', reaction);

        expect(await poll()).toMatchObject({ kind: 'error', detail: expect.stringMatching(/./) });
      });

      it('passes on how long the vendor wants to be left alone', async () => {
        vendor.on('list', script.create.busy);

        expect(await poll()).toMatchObject({ kind: 'error', retryAfterMs: 7_000 });
      });
    });

    describe('finding a submission whose response was lost', () => {
      const { list } = script;
      if (list === undefined) {
        it('is not offered', () => {
          expect(provider.find).toBeUndefined();
          expect(provider.list).toBeUndefined();
        });
        return;
      }
      const { correlation } = aSubmission();
      const at = (seconds: number): Date => new Date(since.getTime() + seconds * 1_000);
      const find = () => provider.find!({ correlation, since }, soon());

      it('sends the correlation along, so that there is something to find', async () => {
        vendor.on('create', script.create.accepted(vendorTaskId));
        await provider.submit(aSubmission(), soon());

        expect(vendor.seen[0]!.body).toContain(correlation);
      });

      it('finds the task by its correlation', async () => {
        vendor.on(
          'list',
          list([
            { vendorTaskId: 'cgt-2', correlation: 'another', createdAt: at(20) },
            { vendorTaskId: 'cgt-1', correlation, createdAt: at(10) },
          ]),
        );

        expect(await find()).toEqual({ kind: 'found', vendorTaskId: 'cgt-1' });
      });

      it('finds none', async () => {
        vendor.on(
          'list',
          list([{ vendorTaskId: 'cgt-2', correlation: `${correlation}x`, createdAt: at(20) }]),
        );

        expect(await find()).toEqual({ kind: 'none' });
      });

      it('does not choose between several', async () => {
        vendor.on(
          'list',
          list([
            { vendorTaskId: 'cgt-2', correlation, createdAt: at(20) },
            { vendorTaskId: 'cgt-1', correlation, createdAt: at(10) },
          ]),
        );

        expect(await find()).toEqual({ kind: 'several', vendorTaskIds: ['cgt-2', 'cgt-1'] });
      });

      it.each<[string, ScriptedResponse | 'drop']>([
        ['a 502 page', html502],
        ['garbage', { status: 200, body: '[' }],
        ['a dropped connection', 'drop'],
      ])('does not take %s for an empty list', async (_name, reaction) => {
        vendor.on('list', reaction);

        expect(await find()).toMatchObject({ kind: 'error' });
        expect((await provider.list?.({ since }, soon()))?.kind ?? 'error').toBe('error');
      });

      if (script.findsOnly === true) {
        it('does not list every task', () => {
          expect(provider.list).toBeUndefined();
        });
        return;
      }
      it('lists every task with what it was sent with', async () => {
        vendor.on(
          'list',
          list([
            { vendorTaskId: 'cgt-2', correlation: 'another', createdAt: at(20) },
            { vendorTaskId: 'cgt-1', correlation, createdAt: at(10) },
          ]),
        );

        expect(await provider.list!({ since }, soon())).toEqual({
          kind: 'listed',
          tasks: [
            { vendorTaskId: 'cgt-2', correlation: 'another' },
            { vendorTaskId: 'cgt-1', correlation },
          ],
        });
      });
    });

    describe('cancelling', () => {
      const { cancel } = script;
      if (cancel === undefined) {
        it('is not possible', async () => {
          expect(await provider.cancel(vendorTaskId, soon())).toMatchObject({
            kind: 'not_cancellable',
          });
        });
        return;
      }

      it('cancels a queued task', async () => {
        vendor.on('poll', script.task.queued(vendorTaskId));
        vendor.on('cancel', cancel.done);

        expect(await provider.cancel(vendorTaskId, soon())).toEqual({ kind: 'cancelled' });
        expect(vendor.count('cancel')).toBe(1);
      });

      it('does not ask for it when the task is over, since that may erase the video', async () => {
        vendor.on('poll', script.task.succeeded(vendorTaskId, videoUrl));
        vendor.on('cancel', cancel.done);

        expect(await provider.cancel(vendorTaskId, soon())).toMatchObject({
          kind: 'not_cancellable',
        });
        expect(vendor.count('cancel')).toBe(0);
      });

      it('tells that a running task cannot be cancelled', async () => {
        vendor.on('poll', script.task.running(vendorTaskId));
        vendor.on('cancel', cancel.refused);

        expect(await provider.cancel(vendorTaskId, soon())).toMatchObject({
          kind: 'not_cancellable',
        });
      });

      const { refusedInsideSuccess } = cancel;
      if (refusedInsideSuccess !== undefined) {
        it('does not take a refusal inside a 200 for a cancellation', async () => {
          vendor.on('poll', script.task.queued(vendorTaskId));
          vendor.on('cancel', refusedInsideSuccess);

          expect(await provider.cancel(vendorTaskId, soon())).toMatchObject({
            kind: 'not_cancellable',
          });
        });
      }

      it('does not take a broken response for a cancellation', async () => {
        vendor.on('poll', script.task.queued(vendorTaskId));
        vendor.on('cancel', html502);

        expect(await provider.cancel(vendorTaskId, soon())).toMatchObject({ kind: 'error' });
      });
    });

    describe('keeping the API key', () => {
      it('sends it in its own header and nowhere else', async () => {
        vendor.on('create', script.create.accepted(vendorTaskId));
        vendor.on('poll', script.task.queued(vendorTaskId));
        if (script.cancel !== undefined) vendor.on('cancel', script.cancel.done);
        if (script.list !== undefined) vendor.on('list', script.list([]));

        await provider.submit(aSubmission(), soon());
        await provider.poll(vendorTaskId, soon());
        await provider.cancel(vendorTaskId, soon());
        await provider.find?.({ correlation: 'video_1', since }, soon());
        await provider.pollMany?.poll([vendorTaskId], soon());

        expect(vendor.seen.length).toBeGreaterThanOrEqual(2);
        for (const { headers, ...rest } of vendor.seen) {
          const { [script.keyHeader.name]: carried, ...others } = headers;
          expect(carried).toBe(script.keyHeader.value(apiKey));
          expect(JSON.stringify({ others, rest })).not.toContain(apiKey);
        }
      });

      it('lets files have it only where they need it, in the same header', () => {
        const { name: header, value } = script.keyHeader;
        const needIt = script.fileUrl !== undefined || script.filesNeedKey === true;
        expect(provider.fileHeaders).toEqual(needIt ? { [header]: value(apiKey) } : undefined);
      });

      it('does not repeat it when the vendor’s response does', async () => {
        const echo = script.create.refused(`Incorrect API key provided: ${apiKey}`);
        for (const call of ['create', 'poll', 'cancel', 'list'] as const) vendor.on(call, echo);

        const outcomes = [
          await provider.submit(aSubmission(), soon()),
          await provider.poll(vendorTaskId, soon()),
          await provider.cancel(vendorTaskId, soon()),
          await provider.find?.({ correlation: 'video_1', since }, soon()),
          await provider.pollMany?.poll([vendorTaskId], soon()),
        ];

        expect(JSON.stringify(outcomes)).toContain('Incorrect API key provided');
        expect(JSON.stringify(outcomes)).not.toContain(apiKey);
      });
    });
  });
}
