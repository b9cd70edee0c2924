import type { WrittenReference } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import {
  MediaError,
  probeAsset,
  sniffBytes,
  sniffMediaType,
  sourceFromBytes,
  StorageError,
  type DataUrlRule,
  type DataUrlVerdict,
  type ProbeSource,
} from '@gateway/media';
import { OutboundError, type OutboundClient } from '@gateway/outbound';
import { assetKindOf, assetTypes } from '../use-cases/asset-types.ts';
import type { Measured, PriceVideoPorts } from '../use-cases/price-video.ts';

export interface ReferenceMeterOptions {
  readonly outbound: Pick<OutboundClient, 'download'>;
  /** Of a data URL, or of the name that a body has for one whose bytes are decoded already. */
  readonly judge: (text: string, rule: DataUrlRule) => DataUrlVerdict;
  /** The longest file in a data URL, by kind. */
  readonly maxBytes: Readonly<Record<WrittenReference['kind'], number>>;
  /** For all references of a request. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 10_000;
/** Read at first: enough for the whole header of most files. */
const headBytes = 65_536;
/** Of a server that serves no parts of a file: all of it is read into memory. */
const wholeBytes = 16_777_216;
/** Requests that measure at once on this replica, and of one account. */
const most = 16;
const mostOfAccount = 4;

/**
 * Measures clips at addresses that strangers chose, and in data URLs: reads their headers, through
 * the guarded client, and no more of a file than it must.
 */
export function createReferenceMeter(options: ReferenceMeterOptions): PriceVideoPorts['measure'] {
  const { timeoutMs = usualTimeoutMs } = options;
  const atWork = new Map<string, number>();
  let all = 0;
  const count = (accountId: string, by: 1 | -1): void => {
    const now = (atWork.get(accountId) ?? 0) + by;
    if (now === 0) atWork.delete(accountId);
    else atWork.set(accountId, now);
    all += by;
  };
  return async (references, accountId) => {
    if (all >= most || (atWork.get(accountId) ?? 0) >= mostOfAccount) throw tooMany();
    count(accountId, 1);
    try {
      return await measureInTurn(references, options, AbortSignal.timeout(timeoutMs));
    } finally {
      count(accountId, -1);
    }
  };
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'overloaded',
    'the gateway measures as many references as it can at once; nothing was created, try again',
    { retryAfterMs: 1_000 },
  );

/** One after the other, so that a request never has more than one file in memory. */
async function measureInTurn(
  references: readonly WrittenReference[],
  options: ReferenceMeterOptions,
  signal: AbortSignal,
): Promise<Map<WrittenReference, Measured>> {
  const known = new Map<string, Measured>();
  const lengths = new Map<WrittenReference, Measured>();
  for (const reference of references) {
    const name = `${reference.kind} ${reference.source.text}`;
    const measured = known.get(name) ?? (await measure(reference, options, signal));
    known.set(name, measured);
    lengths.set(reference, measured);
  }
  return lengths;
}

async function measure(
  { kind, source }: WrittenReference,
  options: ReferenceMeterOptions,
  signal: AbortSignal,
): Promise<Measured> {
  try {
    const bytes =
      source.type === 'data'
        ? dataSource(source.text, kind, options)
        : await remoteSource(source.text, options.outbound, signal);
    const seconds = bytes && (await secondsOf(bytes, kind));
    return seconds === undefined
      ? { problem: `it is no ${kind} file that says how long it is` }
      : { seconds };
  } catch (error) {
    return { problem: sentenceOf(error, signal) };
  }
}

function dataSource(
  text: string,
  kind: WrittenReference['kind'],
  { judge, maxBytes }: ReferenceMeterOptions,
): ProbeSource | undefined {
  const verdict = judge(text, { allowedTypes: assetTypes[kind], maxBytes: maxBytes[kind] });
  return verdict.ok ? sourceFromBytes(verdict.bytes) : undefined;
}

async function secondsOf(source: ProbeSource, kind: string): Promise<number | undefined> {
  if (source.sizeBytes === 0) return undefined;
  const type = sniffMediaType(await source.read(0, Math.min(source.sizeBytes, sniffBytes) - 1));
  if (type === undefined || assetKindOf(type) !== kind) return undefined;
  return (await probeAsset(type, source)).durationSeconds;
}

/** What a customer may be told; anything else is a fault of ours, and thrown. */
function sentenceOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it was not read in time';
  if (OutboundError.is(error) || error instanceof MediaError || error instanceof StorageError) {
    return error.message;
  }
  throw error;
}

/** Ranges of a file where its server has them; else the whole of it, if it is small. */
async function remoteSource(
  url: string,
  outbound: ReferenceMeterOptions['outbound'],
  signal: AbortSignal,
): Promise<ProbeSource> {
  const timeoutMs = usualTimeoutMs;
  const first = await outbound.download({
    url,
    maxBytes: wholeBytes,
    timeoutMs,
    signal,
    headers: { range: `bytes=0-${headBytes - 1}` },
  });
  const head = Buffer.concat((await first.stream.toArray()) as Uint8Array[]);
  if (first.status !== 206) return sourceFromBytes(head);
  const sizeBytes = sizeIn(first.headers['content-range'], head.length);
  return {
    sizeBytes,
    async read(start, end) {
      if (end < head.length) return head.subarray(start, end + 1);
      const { status, stream } = await outbound.download({
        url: first.url,
        maxBytes: end - start + 1,
        timeoutMs,
        signal,
        headers: { range: `bytes=${start}-${end}` },
      });
      if (status !== 206) {
        stream.destroy();
        throw noRanges();
      }
      return Buffer.concat((await stream.toArray()) as Uint8Array[]);
    },
  };
}

/** The size of the whole file, of a response that begins with its first byte. */
function sizeIn(contentRange: string | undefined, received: number): number {
  const [, last, size] = /^bytes 0-(\d{1,15})\/(\d{1,15})$/.exec(contentRange ?? '') ?? [];
  if (size === undefined || Number(last) !== received - 1) throw noRanges();
  return Number(size);
}

const noRanges = (): OutboundError =>
  new OutboundError('invalid_answer', {
    detail: 'its server does not serve the parts of the file that were asked for',
  });
