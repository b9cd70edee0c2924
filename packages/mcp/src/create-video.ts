import { madeNothing, reasonOf, refusalOf, ToolError, type Json, type Video } from './gateway.ts';
import type { Arguments, Connection } from './tool.ts';

/** A creation as a call asks for it. */
export interface Creation {
  readonly request: Json;
  readonly key: string;
  /** Where the file is to be put, on the agent's machine. */
  readonly saveAs: string | undefined;
}

/** Reads the arguments of `create_video`; the gateway judges those of the request. */
export async function readCreation(
  connection: Connection,
  args: Arguments,
  signal: AbortSignal,
): Promise<Creation> {
  const saveAs = await readSaveAs(connection, args);
  const key = keyIn(args) ?? connection.newKey();
  return { saveAs, key, request: await withModel(connection, args.rest(), signal) };
}

/** It travels as a header, which holds no other characters and loses spaces around it. */
function keyIn(args: Arguments): string | undefined {
  const key = args.text('idempotency_key');
  if (key === undefined || /^(?! )[\x20-\x7e]{1,255}(?<! )$/.test(key)) return key;
  throw new ToolError(
    'invalid_parameter',
    'idempotency_key must be 1 to 255 printable ASCII characters, without spaces around them',
    'idempotency_key',
  );
}

/** Where a file is to be put, if it can be. */
export async function readSaveAs(
  { files }: Connection,
  args: Arguments,
): Promise<string | undefined> {
  if (files === undefined) return undefined;
  const saveAs = args.text('save_as');
  if (saveAs !== undefined) await files.check(saveAs);
  return saveAs;
}

/** Without a model it is the first that makes videos. */
export async function withModel(
  { gateway }: Connection,
  request: Json,
  signal: AbortSignal,
): Promise<Json> {
  if (request['model'] !== undefined) return request;
  const first = (await gateway.models(signal)).find(({ kind }) => kind === 'video');
  if (first === undefined) {
    throw new ToolError('model_not_found', 'this key may use no model that makes videos', 'model');
  }
  return { model: first.id, ...request };
}

/** A video that was created, and what has gone wrong since, where something has. */
export interface Created {
  readonly video: Video;
  readonly hint?: string;
}

/**
 * Creates the video, once its price is set aside. A creation whose outcome nobody knows keeps what
 * was set aside for it: asking again with the same key finds out.
 */
export async function create(
  { gateway, budget }: Connection,
  { request, key }: Creation,
  signal: AbortSignal,
): Promise<Created> {
  const { portal_billing: price } = await gateway.quote(request, signal);
  const isOurs = await budget.hold(key, price.max_billing_quota, signal);
  let video: Video;
  try {
    video = await gateway.create(request, key, signal);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined || !madeNothing(refusal)) throw unknownOutcome(key, error);
    // What another call with this key has set aside may be for a video that it makes.
    if (isOurs) await budget.release(key);
    throw error;
  }
  return counted({ gateway, budget }, { key, video }, signal);
}

/** The video counts, whatever the budget says by now; one that is too dear is cancelled if it can be. */
async function counted(
  { gateway, budget }: Pick<Connection, 'gateway' | 'budget'>,
  { key, video }: { readonly key: string; readonly video: Video },
  signal: AbortSignal,
): Promise<Created> {
  try {
    if (await budget.made(key, video)) return { video };
  } catch (error) {
    return { video, hint: `The budget could not be brought up to date: ${reasonOf(error)}.` };
  }
  const rose = 'its price rose after the quote, beyond the budget of this connection';
  let after: Video;
  try {
    after = await gateway.cancel(video.id, signal);
  } catch (error) {
    return { video, hint: `${video.id} goes on, though ${rose}: ${reasonOf(error)}.` };
  }
  if (after.status !== 'cancelled') return { video: after, hint: `Note that ${rose}.` };
  throw new ToolError('budget_exceeded', `${rose}: ${video.id} was cancelled`);
}

const unknownOutcome = (key: string, cause: unknown): ToolError => {
  const error = new ToolError(
    'unknown_outcome',
    `it is not known whether the video was created (${reasonOf(cause)}): call create_video again with the same arguments and the idempotency_key ${JSON.stringify(key)}, which finds it or makes it once, or look at list_videos`,
  );
  error.cause = cause;
  return error;
};
