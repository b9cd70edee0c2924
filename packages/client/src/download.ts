import {
  ApiError,
  ConnectionError,
  connectionErrorOf,
  FileChangedError,
  GatewayError,
} from './errors.ts';
import { pause, waitBeforeRetry } from './retry.ts';
import { chunksOf } from './sse.ts';
import type { Transport } from './transport.ts';
import type { CallOptions } from './types.ts';

/** A file of a video. */
export type VideoFile = 'video' | 'last_frame' | 'poster';

export interface DownloadOptions extends CallOptions {
  /** `video` when left out. */
  readonly file?: VideoFile | undefined;
  /** How many bytes you have already; `etag` says of which file. */
  readonly offset?: number | undefined;
  /** The ETag that an earlier download of the file had; another file is a `FileChangedError`. */
  readonly etag?: string | undefined;
  readonly onProgress?:
    ((progress: { readonly bytes: number; readonly size: number }) => void) | undefined;
}

/**
 * A file on its way. Iterate over it once: it asks for bytes as fast as you take them, and goes on
 * where a connection broke off.
 */
export interface Download extends AsyncIterable<Uint8Array> {
  /** Of the whole file, in bytes. */
  readonly size: number;
  /** Changes when the bytes do: the SHA-256 of the file, in quotes. */
  readonly etag: string;
  readonly contentType: string;
  /** The same bytes, for `new Response(…)`, `pipeTo` and their kind. */
  stream(): ReadableStream<Uint8Array>;
}

/** Finds the signed address of a file, which is valid for hours and not for ever. */
type FindAddress = () => Promise<string>;

interface Part {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly size: number;
  readonly etag: string;
  readonly contentType: string;
}

const silenceMs = 60_000;

/** Opens the file at an address, from `offset` on. */
export async function openDownload(
  transport: Transport,
  findAddress: FindAddress,
  options: DownloadOptions,
): Promise<Download> {
  const source = new Source(transport, findAddress, options.signal);
  const { offset = 0, etag } = options;
  const first = offset > 0 ? await source.head(etag) : await source.part({ offset, etag });
  const bytes = everyByte(source, first, options);
  return {
    size: first.size,
    etag: first.etag,
    contentType: first.contentType,
    [Symbol.asyncIterator]: () => bytes,
    stream: () => streamOf(bytes),
  };
}

/** One file, whose address is found again when it has expired. */
class Source {
  readonly transport: Transport;
  readonly signal: AbortSignal | undefined;
  readonly #findAddress: FindAddress;
  #address: string | undefined;

  constructor(transport: Transport, findAddress: FindAddress, signal: AbortSignal | undefined) {
    this.transport = transport;
    this.#findAddress = findAddress;
    this.signal = signal;
  }

  /** What the file is, without its bytes. */
  async head(etag: string | undefined): Promise<Part> {
    return partOf(await this.#open('HEAD', ifMatch(etag)), 0);
  }

  async part({
    offset,
    etag,
  }: {
    readonly offset: number;
    readonly etag: string | undefined;
  }): Promise<Part> {
    const range = offset > 0 ? { range: `bytes=${offset}-` } : {};
    return partOf(await this.#open('GET', { ...range, ...ifMatch(etag) }), offset);
  }

  async #open(method: 'GET' | 'HEAD', headers: Readonly<Record<string, string>>) {
    const open = async (): Promise<Response> => {
      this.#address ??= await this.#findAddress();
      return this.transport.open({
        method,
        path: this.#address,
        headers,
        withoutKey: true,
        signal: this.signal,
      });
    };
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 412) throw changed(error);
      if (error.status !== 403) throw error;
      this.#address = undefined;
      return open();
    }
  }
}

const ifMatch = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? {} : { 'if-match': etag };

const changed = (cause?: Error): FileChangedError =>
  new FileChangedError('The file is not the one that this download began with: begin again.', {
    cause,
  });

function partOf({ status, headers, body }: Response, offset: number): Part {
  const etag = headers.get('etag');
  const { start, size } = rangeIn(headers);
  if (etag === null || Number.isNaN(size)) {
    throw new GatewayError(
      'The response does not say which file it is: it has no ETag or no size.',
    );
  }
  if (offset > 0 && (status !== 206 || start !== offset)) throw changed();
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  return { body, size, etag, contentType };
}

/** Where the bytes of a response begin, and how many the whole file has. */
function rangeIn(headers: Headers): { readonly start: number; readonly size: number } {
  const range = headers.get('content-range');
  if (range === null) return { start: 0, size: Number(headers.get('content-length') ?? NaN) };
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
  return { start: Number(start), size: Number(size) };
}

async function* everyByte(
  source: Source,
  first: Part,
  { offset = 0, onProgress }: DownloadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { size, etag } = first;
  let position = offset;
  let failures = 0;
  let part = offset === 0 ? first : undefined;
  while (position < size) {
    part ??= await source.part({ offset: position, etag });
    if (part.etag !== etag || part.size !== size) throw changed();
    for await (const chunk of bytesUntilBroken(part, source.signal)) {
      position += chunk.length;
      failures = 0;
      onProgress?.({ bytes: position, size });
      yield chunk;
    }
    part = undefined;
    if (position < size) {
      failures += 1;
      await pauseOrGiveUp(source, failures);
    }
  }
}

/** What arrives of a part, to its end or until the connection breaks. */
async function* bytesUntilBroken(
  part: Part,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunksOf(bodyOf(part), silenceMs);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ConnectionError)) throw error;
  }
}

function bodyOf({ body }: Part): ReadableStream<Uint8Array> {
  if (body === null) throw new ConnectionError('The response has no body.');
  return body;
}

async function pauseOrGiveUp({ transport, signal }: Source, failures: number): Promise<void> {
  const broken = connectionErrorOf(new Error('the download broke off'));
  const wait = waitBeforeRetry(broken, {
    attempt: failures,
    repeatable: 'anyway',
    limits: transport.limits,
    random: Math.random(),
  });
  if (wait === undefined) throw broken;
  await pause(wait, signal);
}

function streamOf(bytes: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await bytes.return();
      },
    },
    { highWaterMark: 0 },
  );
}
