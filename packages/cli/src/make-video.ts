import {
  ApiError,
  newIdempotencyKey,
  type GatewayClient,
  type Video,
  type VideoRequest,
} from '@gateway/client';
import { madeNothing, statusText } from '@gateway/mcp';
import { fetchWithBar } from './download.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { uploadReferences, type KnownReference } from './references.ts';
import { mayAskAgain, type StateFile, type Unfinished } from './state-file.ts';
import { showing, type StatusLine } from './status-line.ts';
import type { GivenVideo } from './video-request.ts';
import { quoteText } from './video-words.ts';

/** One run of `gw video`. */
export interface VideoRun {
  readonly client: GatewayClient;
  readonly given: GivenVideo;
  readonly references: readonly KnownReference[];
  readonly state: StateFile;
  readonly maxQuota: number | undefined;
  readonly line: StatusLine;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** The request with a model's name and uploaded references. */
export async function buildRequest(run: VideoRun): Promise<VideoRequest> {
  const { client, given, references, line, signal } = run;
  const model = given.model ?? (await firstVideoModel(client, signal));
  const uploaded = await showing(line, () =>
    uploadReferences(client, references, { line, signal }),
  );
  return { model, ...given.body, ...(uploaded.length > 0 && { references: uploaded }) };
}

async function firstVideoModel(client: GatewayClient, signal: AbortSignal): Promise<string> {
  for await (const model of client.models.list({ signal })) {
    if (model.kind === 'video') return model.id;
  }
  throw new CommandError('Your key may use no model that makes videos: see "gw models".');
}

/** Says what the video costs, and throws when that is too much. */
export async function showQuote(run: VideoRun, request: VideoRequest): Promise<void> {
  const quote = await run.client.videos.quote(request, { signal: run.signal });
  run.say(quoteText(quote));
  const most = quote.portal_billing.max_billing_quota;
  if (run.maxQuota !== undefined && most > run.maxQuota) {
    throw new CommandError(`That is more than --max-quota ${run.maxQuota}.`, exitCodes.quota);
  }
  if (!quote.affordable) {
    throw new CommandError('There is not enough quota for it.', exitCodes.quota);
  }
}

/**
 * The video of this command: the one that an earlier run has begun, or a new one. What it takes to
 * find it again is on disk before the gateway is asked, so that a run which is killed at any moment
 * and started again leads to the same video.
 */
export async function beginOrGoOn(run: VideoRun): Promise<string> {
  const begun = await run.state.read();
  if (begun?.video_id !== undefined) {
    run.say(`Going on with ${begun.video_id}, which an earlier run has begun.`);
    return begun.video_id;
  }
  if (begun !== undefined) return create(run, askedBefore(run, begun));
  const request = await buildRequest(run);
  await showQuote(run, request);
  const fresh: Unfinished = {
    version: 1,
    created_at: new Date(run.now()).toISOString(),
    idempotency_key: newIdempotencyKey(),
    request,
  };
  return (await run.state.begin(fresh)) ? create(run, fresh) : beginOrGoOn(run);
}

function askedBefore({ state, say, now }: VideoRun, begun: Unfinished): Unfinished {
  if (!mayAskAgain(begun, now())) {
    throw new CommandError(
      `An earlier run was cut off at ${begun.created_at}, before the gateway had answered, and that is too long ago to ask again. "gw videos list" shows whether the video was made; add --new for another. (${state.path})`,
    );
  }
  say('An earlier run was cut off before the gateway had answered: asking for the same video.');
  return begun;
}

async function create(run: VideoRun, state: Unfinished): Promise<string> {
  try {
    const { id } = await run.client.videos.create(state.request, {
      idempotencyKey: state.idempotency_key,
      signal: run.signal,
    });
    await run.state.write({ ...state, video_id: id });
    return id;
  } catch (error) {
    // The gateway has said that it made nothing; in all other cases the next run asks again.
    if (error instanceof ApiError && madeNothing(error)) await run.state.remove();
    throw error;
  }
}

/** Waits for the end of a video and tells how it gets on. */
export async function waitFor(run: VideoRun, id: string): Promise<Video> {
  const { client, line, signal } = run;
  const onProgress = (video: Video): void => {
    line.show(statusText(video));
  };
  try {
    return await showing(line, () => client.videos.wait(id, { signal, onProgress }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) await run.state.remove();
    throw error;
  }
}

/** Puts the file of a finished video on disk. */
export const save = (
  { client, line, signal }: VideoRun,
  id: string,
  target: string,
): Promise<number> => fetchWithBar(client, { id, file: 'video', target, signal }, line);
