import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';
import {
  createVideoProvider,
  type PollOutcome,
  type Submission,
  type VideoProvider,
} from '@gateway/video-providers';

/** A vendor that is simulated from a table, as its own adapter uses it. */
export interface TableVendor {
  /** Below the sandbox's address. */
  readonly path: string;
  readonly fields: Partial<Submission>;
  /** Expired tasks are failed ones to some; left out: nothing is said of one. */
  readonly expires?: string;
  /** A model that is not there is a refusal like any other. */
  readonly hidesModels?: boolean;
  /** A task that runs. */
  readonly cancels: boolean;
}

export const vendors = {
  dashscope: {
    path: '/dashscope/api/v1',
    fields: { upstreamModel: 'wan3.0-video' },
    expires: 'vendor_error',
    cancels: false,
  },
  fal: {
    path: '/fal',
    fields: { upstreamModel: 'bytedance/seedance-2.5/{mode}' },
    cancels: false,
  },
  'google-omni': {
    path: '/google-omni/v1beta',
    fields: { upstreamModel: 'gemini-omni-1.1-flash' },
    expires: 'vendor_error',
    cancels: true,
  },
  kling: {
    path: '/kling',
    fields: { upstreamModel: 'kling-3.0', unsupported: ['seed', 'return_last_frame'] },
    expires: 'vendor_error',
    cancels: false,
  },
  luma: {
    path: '/luma/v1',
    fields: { upstreamModel: 'ray-3.2' },
    expires: 'vendor_error',
    cancels: false,
  },
  runway: {
    path: '/runway',
    fields: { upstreamModel: 'gen4.5' },
    expires: 'vendor_error',
    hidesModels: true,
    cancels: true,
  },
  vidu: {
    path: '/vidu',
    fields: { upstreamModel: 'viduq3-pro' },
    expires: 'vendor_error',
    cancels: true,
  },
  xai: {
    path: '/xai/v1',
    fields: { upstreamModel: 'grok-imagine-video-1.5' },
    expires: 'expired',
    cancels: false,
  },
} as const satisfies Readonly<Record<string, TableVendor>>;
export type Kind = keyof typeof vendors;
export const kinds = Object.keys(vendors) as Kind[];

let running: RunningSandbox | undefined;
export const sandbox = (): RunningSandbox => running!;

/** One sandbox for the tests of a file, emptied after each. */
export function useSandbox(): void {
  beforeAll(async () => {
    running = await startSandboxVendor({ SANDBOX_LINK_TTL_SECONDS: '30' });
  });
  afterAll(() => running?.stop());
  afterEach(async () => {
    await fetch(`${sandbox().url}/control/reset`, { method: 'POST' });
  });
}

export const soon = (): AbortSignal => AbortSignal.timeout(30_000);
export const providerOf = (
  kind: Kind,
  { at = sandbox(), apiKey = at.apiKey }: { at?: RunningSandbox; apiKey?: string } = {},
): VideoProvider =>
  createVideoProvider(kind, {
    baseUrl: `${at.url}${vendors[kind].path}`,
    apiKey,
    timeoutMs: 30_000,
  });
let count = 0;
export const submissionTo = (
  kind: Kind,
  prompt: string,
  fields: Partial<Submission> = {},
): Submission => ({
  correlation: `video_${(count += 1)}`,
  prompt,
  references: [],
  ratio: '16:9',
  duration: 5,
  resolution: '720p',
  watermark: false,
  seed: null,
  generateAudio: false,
  returnLastFrame: false,
  unsupported: [],
  expiresAfterSeconds: 86_400,
  ...vendors[kind].fields,
  ...fields,
});

export async function accepted(
  provider: VideoProvider,
  kind: Kind,
  prompt: string,
  fields: Partial<Submission> = {},
): Promise<string> {
  const outcome = await provider.submit(submissionTo(kind, prompt, fields), soon());
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome.vendorTaskId;
}
export const ended = (provider: VideoProvider, id: string): Promise<PollOutcome> =>
  eventually(
    async () => {
      const outcome = await provider.poll(id, soon());
      expect(outcome.kind).toMatch(/succeeded|failed/);
      return outcome;
    },
    { withinMs: 30_000 },
  );
export const linkIn = (outcome: PollOutcome): string =>
  outcome.kind === 'succeeded' ? outcome.output.videoUrl : '';
/** A task as the sandbox keeps it. */
export const seenAt = async (id: string): Promise<unknown> =>
  (await fetch(`${sandbox().url}/control/tasks/${id.split('/').at(-1) ?? ''}`)).json();
export const statusAt = async (url: string): Promise<number> => {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
};
