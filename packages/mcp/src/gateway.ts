/** JSON as the gateway's routes take and return it; the document says what is in it. */
export type Json = Readonly<Record<string, unknown>>;

/** A video, as far as the tools look into it. */
export interface Video extends Json {
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly queue_position?: number;
  readonly portal_billing: {
    readonly max_billing_quota: number;
    readonly billed_quota?: number;
  };
  readonly content?: { readonly video_url?: string; readonly last_frame_url?: string };
  readonly error?: { readonly code: string; readonly message: string };
}

export interface VideoQuote extends Json {
  readonly portal_billing: { readonly max_billing_quota: number };
}

export interface Model extends Json {
  readonly id: string;
  readonly kind: string;
}

export interface Page<Item> extends Json {
  readonly data: readonly Item[];
  readonly has_more: boolean;
}

export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name?: string | undefined;
  readonly contentType?: string | undefined;
}

/** The gateway as one key sees it. Each call throws what `refusalOf` reads when it is refused. */
export interface Gateway {
  quote(request: Json, signal: AbortSignal): Promise<VideoQuote>;
  /** Asking twice with one key and body makes one video. */
  create(request: Json, idempotencyKey: string, signal: AbortSignal): Promise<Video>;
  get(id: string, signal: AbortSignal): Promise<Video>;
  cancel(id: string, signal: AbortSignal): Promise<Video>;
  list(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Page<Video>>;
  models(signal: AbortSignal): Promise<readonly Model[]>;
  upload(upload: Upload, signal: AbortSignal): Promise<Json>;
  /** Waits for the end of a video, telling of each change on the way. */
  wait(id: string, onChange: (video: Video) => void, signal: AbortSignal): Promise<Video>;
}

/** What the gateway, or a tool itself, says to a call that it will not do. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly param?: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
}

/** A tool refuses by itself, in the words of the gateway's errors. */
export class ToolError extends Error implements Refusal {
  override readonly name = 'ToolError';
  readonly code: string;
  readonly param?: string;

  constructor(code: string, message: string, param?: string) {
    super(message);
    this.code = code;
    if (param !== undefined) this.param = param;
  }
}

/** The refusal that an error is; undefined for everything that is none. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, status } = error as Partial<Refusal>;
  const isRefusal = error instanceof ToolError || typeof status === 'number';
  return isRefusal ? { ...pick(error), code: code ?? 'refused' } : undefined;
}

function pick(error: Partial<Refusal> & { readonly message: string }): Omit<Refusal, 'code'> {
  const { message, status, param, requestId, retryAfterMs } = error;
  return {
    message,
    ...(status !== undefined && { status }),
    ...(param != null && { param }),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

const ends: readonly string[] = ['succeeded', 'failed', 'expired', 'cancelled'];

/** Whether a video has its final status. */
export const isEnded = ({ status }: Pick<Video, 'status'>): boolean => ends.includes(status);

/** Refusals after which an earlier, lost attempt of the same call may have made it. */
const saysNothing: readonly number[] = [408, 425, 429];

/**
 * Whether a refusal says for certain that nothing was made. `too_many_tasks` does, unlike the other
 * 429: the gateway has looked for an earlier video of the key by then.
 */
export const madeNothing = ({
  code,
  status,
}: {
  readonly code?: string | undefined;
  readonly status?: number | undefined;
}): boolean =>
  code === 'too_many_tasks' ||
  (status !== undefined && status >= 400 && status < 500 && !saysNothing.includes(status));

/** Of a video that was deleted nobody can say any more what it cost: undefined. */
export function unlessGone(error: unknown): undefined {
  if (refusalOf(error)?.status !== 404) throw error;
}

/** What went wrong, as a part of a sentence. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
