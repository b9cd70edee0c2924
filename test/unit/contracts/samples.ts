import {
  createVideoRequestReader,
  mediaKinds,
  type AddressChecks,
  type ReadVideoRequest,
  type Task,
  type VendorCapabilities,
  type VideoModel,
  type VideoRoute,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';

export const aRoute = (fields: Partial<VideoRoute> = {}): VideoRoute => ({
  name: 'studio/film-1-upstream',
  provider: 'studio',
  upstreamModel: 'film-1-upstream',
  weight: 1,
  fallback: false,
  bounds: {},
  retiresAt: undefined,
  ...fields,
});

export const aModel = (fields: Partial<VideoModel> = {}): VideoModel => ({
  name: 'film-1',
  routes: [aRoute()],
  busyAfterSeconds: 30,
  retryFailed: false,
  price: { secondQuota: 100, audioSecondQuota: 20 },
  duration: { min: 4, max: 15, default: 6, auto: false },
  ratio: { allowed: ['16:9', '9:16', '1:1'], default: '16:9' },
  resolution: { allowed: ['480p', '720p'], default: '720p' },
  references: { image: 3, video: 2, audio: 1 },
  frames: ['first_frame', 'last_frame'],
  generateAudioByDefault: false,
  mediaOnly: false,
  unsupported: [],
  options: [],
  promptMaxCharacters: 40,
  expiresAfterSeconds: 3_600,
  retentionDays: 30,
  retiresAt: undefined,
  ...fields,
});

interface Reading {
  readonly models?: readonly VideoModel[];
  readonly capabilities?: Partial<VendorCapabilities>;
  readonly checks?: Partial<AddressChecks>;
  readonly clock?: { now(): number };
}

/** A reader of one model, of a vendor without peculiarities, that finds every address good. */
export function aReader({
  models = [aModel()],
  capabilities,
  checks,
  clock = { now: Date.now },
}: Reading = {}): (body: unknown) => ReadVideoRequest {
  return createVideoRequestReader({
    models: new Map(models.map((model) => [model.name, model])),
    capabilitiesOf: () => ({
      promptFlags: undefined,
      inlineKinds: mediaKinds,
      audioNeedsPicture: false,
      ...capabilities,
    }),
    checks: {
      callbackUrl: () => undefined,
      referenceUrl: () => undefined,
      dataUrl: () => undefined,
      ...checks,
    },
    clock,
  });
}

/**
 * The refusal of a body; fails when the body is accepted, or when a violation does not name its
 * field.
 */
export function refusalOf(read: (body: unknown) => ReadVideoRequest, body: unknown): GatewayError {
  const error = thrownBy(() => read(body));
  if (!GatewayError.is(error)) {
    throw new Error(`not refused: ${JSON.stringify(body)}`, { cause: error });
  }
  const nameless = error.details.filter(
    ({ param, message }) => !message.includes(param ?? 'the body'),
  );
  if (nameless.length > 0) throw new Error(`says not which field: ${JSON.stringify(nameless)}`);
  return error;
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * What a table of refusals compares: code, field, and the fields of all violations in alphabetical
 * order.
 */
export function inShort({ code, param, details }: GatewayError): {
  code: string;
  param: string | null;
  all: (string | null)[];
} {
  return { code, param, all: details.map((detail) => detail.param).sort() };
}

const at = (time: string): Date => new Date(`2026-01-01T${time}Z`);

/** A task as its row is while it waits. */
export const aTask = (fields: Partial<Task> = {}): Task => ({
  id: 'video_01h455vb4pex5vsknk084sn02q',
  accountId: 'acct_01h455vb4pex5vsknk084sn02q',
  model: 'film-1',
  status: 'queued',
  step: 'submit',
  epoch: 1,
  eventSequence: 1,
  request: {
    prompt: 'a cat',
    references: [],
    ratio: 'adaptive',
    duration: 6,
    resolution: '720p',
    watermark: false,
    seed: -1,
    generateAudio: true,
    returnLastFrame: true,
    metadata: { order: '17' },
    unsupported: [],
  },
  vendor: {
    provider: 'studio',
    kind: 'ark',
    baseUrl: 'https://vendor.example',
    credentialId: 'c1',
    upstreamModel: 'film-1-upstream',
    taskId: null,
  },
  vendorOutput: null,
  stepFailures: 0,
  price: { secondQuota: 120, reservedSeconds: 6, maxQuota: 720 },
  billed: null,
  failure: null,
  result: null,
  callbackUrl: null,
  requestId: 'req_1',
  createdAt: at('10:00:00.000'),
  admittedAt: null,
  submittingAt: null,
  startedAt: null,
  completedAt: null,
  expiresAt: at('12:00:00.000'),
  retentionDays: 30,
  cancelRequestedAt: null,
  mediaPurgedAt: null,
  ...fields,
});

/** The same task after each of its statuses. */
export const tasks = {
  queued: aTask(),
  running: aTask({ status: 'running', step: 'poll', startedAt: at('10:00:05.250') }),
  succeeded: aTask({
    status: 'succeeded',
    step: 'done',
    startedAt: at('10:00:05.250'),
    completedAt: at('10:01:00.000'),
    vendorOutput: { videoUrl: 'https://vendor.example/secret.mp4' },
    billed: { seconds: 5, quota: 600 },
    result: {
      seconds: 5.04,
      width: 1280,
      height: 720,
      hasAudio: true,
      ratio: '16:9',
      resolution: '1080p',
      seed: 42,
      completionTokens: 108_900,
      totalTokens: 108_901,
    },
  }),
  failed: aTask({
    status: 'failed',
    step: 'done',
    startedAt: at('10:00:05.250'),
    completedAt: at('10:01:00.000'),
    billed: { seconds: 0, quota: 0 },
    failure: { code: 'content_policy', message: 'The request or its result was refused.' },
  }),
  expired: aTask({
    status: 'expired',
    step: 'late',
    startedAt: at('10:00:05.250'),
    completedAt: at('12:00:00.000'),
    billed: { seconds: 0, quota: 0 },
    failure: { code: 'expired', message: 'The task did not finish before its deadline.' },
  }),
  cancelled: aTask({
    status: 'cancelled',
    step: 'done',
    completedAt: at('10:00:01.000'),
    billed: { seconds: 0, quota: 0 },
    failure: { code: 'cancelled', message: 'The task was cancelled.' },
  }),
} as const satisfies Record<Task['status'], Task>;
