import type * as Sdk from '@gateway/client';

/** What a runtime is told; all of it is JSON. */
export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** By which the videos of this runtime are found again. */
  readonly runtime: string;
  readonly push: {
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly secret: string;
  };
}

/**
 * What a customer does, with nothing but what Node, browsers and workers all have: this file imports
 * nothing, so that each of them can load it. Returns what came of it, as JSON.
 */
export async function journey(sdk: typeof Sdk, settings: Settings) {
  const { baseUrl, apiKey, runtime, push } = settings;
  const client = new sdk.GatewayClient({ baseUrl, apiKey });
  const request = {
    model: 'sandbox-video',
    prompt: 'a red balloon',
    duration: 4,
    resolution: '480p',
    metadata: { runtime },
  } as const;
  const made = await makeVideo(client, request);
  return {
    made: made.report,
    file: await fetchFile(client, made.id),
    asset: await upload(client),
    ends: await endEarly(client, request, made.id),
    refused: await refusalOf(sdk, client.videos.create({ ...request, duration: 60 })),
    text: await write(client),
    genuine: (await sdk.verifyCallback(push, push.secret)) as unknown,
    forged: await client.webhooks
      .verify({ ...push, body: `${push.body} ` }, push.secret)
      .catch(nameOf),
    receiptKeys: (await client.videos.receiptKeys()).keys.length,
  };
}

const nameOf = (error: unknown): string => (error as Error).name;

async function makeVideo(client: Sdk.GatewayClient, request: Sdk.VideoRequest) {
  const quote = await client.videos.quote(request);
  const statuses: string[] = [];
  const video = await client.videos.createAndWait(request, {
    onProgress: ({ status }) => statuses.push(status),
  });
  const found: string[] = [];
  for await (const { id } of client.videos.list({ metadata: request.metadata ?? {} })) {
    found.push(id);
  }
  const most = quote.portal_billing.max_billing_quota;
  const moments = statuses.map((status) => ['queued', 'running', 'succeeded'].indexOf(status));
  const isForward = moments.every((moment, index) => moment >= (moments[index - 1] ?? 0));
  return {
    id: video.id,
    report: { most, isForward, last: statuses.at(-1), videos: found.length },
  };
}

async function fetchFile(client: Sdk.GatewayClient, id: string) {
  const whole = await client.videos.download(id);
  const bytes = await bytesOf(whole);
  const { etag, size } = whole;
  const rest = await bytesOf(await client.videos.download(id, { offset: 500, etag }));
  const { statement } = await client.videos.receipt(id);
  const hash = await sha256(bytes);
  return {
    isWhole: `"${hash}"` === etag && bytes.length === size,
    isRest: (await sha256(rest)) === (await sha256(bytes.subarray(500))),
    hasReceipt: statement.files[0]?.sha256 === hash,
    another: await client.videos.download(id, { offset: 500, etag: '"another"' }).catch(nameOf),
  };
}

async function upload(client: Sdk.GatewayClient) {
  const picture = Uint8Array.from(atob(pixel), (character) => character.charCodeAt(0));
  let sent = 0;
  const { kind, name } = await client.assets.upload(picture, {
    name: 'cat.png',
    contentType: 'image/png',
    onProgress: ({ bytes }) => {
      sent = bytes;
    },
  });
  return { kind, name, isAllSent: sent === picture.length };
}

async function endEarly(client: Sdk.GatewayClient, request: Sdk.VideoRequest, ended: string) {
  const queued = await client.videos.create({ ...request, prompt: '[rate-limited] a balloon' });
  const { status } = await client.videos.cancel(queued.id);
  const signal = AbortSignal.abort(new Error('enough'));
  const aborted = await client.videos
    .wait(ended, { signal })
    .catch((error: unknown) => (error as Error).message);
  return { status, aborted };
}

async function refusalOf(sdk: typeof Sdk, refused: Promise<unknown>) {
  const error: unknown = await refused.catch((reason: unknown) => reason);
  if (!(error instanceof sdk.ApiError)) return nameOf(error);
  const { code, param, requestId } = error;
  return { code, param, hasRequestId: requestId !== undefined };
}

async function write(client: Sdk.GatewayClient): Promise<'streamed' | 'whole'> {
  const pieces: string[] = [];
  const text = client.text.stream({
    model: 'sandbox-chat',
    messages: [{ role: 'user', content: 'Say hello.' }],
    maxTokens: 50,
  });
  for await (const piece of text) pieces.push(piece);
  return pieces.length > 1 ? 'streamed' : 'whole';
}

async function bytesOf(download: Sdk.Download): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(download.stream()).arrayBuffer());
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A PNG. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
