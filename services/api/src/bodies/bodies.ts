import { openCollector, type Part, type Registry } from '@gateway/runtime';
import { hashBody } from './body-hash.ts';
import { createBodyBudget } from './budget.ts';
import { createBodyGarbage } from './garbage.ts';
import { hasBody } from './head.ts';
import { createHeldData, type HeldData } from './held-data.ts';
import { judgeJson, parseJson } from './judge.ts';
import { freeMemory, largestInlineBytes } from './memory.ts';
import { createBodyMetrics } from './metrics.ts';
import { createThreadPool, type ThreadPool } from './pool.ts';
import { createBodyPace } from './pace.ts';
import { createPreparation, type Preparation } from './preparation.ts';
import { receiveBody, type Arriving, type BodyDeadlines, type Received } from './receive.ts';
import { videoBounds, type VideoBody } from './video-body.ts';

export interface BodiesOptions {
  readonly processBytes: number;
  readonly accountBytes: number;
  readonly accountBytesPerSecond: number;
  readonly threads: number;
  readonly heapMegabytes: number;
  readonly deadlines: BodyDeadlines;
  readonly metrics: Registry;
}

export interface ReadingJson extends Arriving {
  /** A request without a body is read as undefined. */
  readonly isOptional?: boolean;
  readonly wantsHash?: boolean;
}

export interface JsonBody {
  readonly value: unknown;
  /** Of what the body says; for requests that said `wantsHash`. */
  hash(): Uint8Array;
  /** Nothing of the body is used any more. */
  release(): void;
}

/** Every JSON body of the api: received, judged, parsed. */
export interface Bodies {
  /** Throws what docs/errors.md lists for 400 `invalid_json`, 408, 413, 415, 429 and 503. */
  receive(arriving: Arriving): Promise<Received>;
  /** The same, and reads it. */
  readJson(reading: ReadingJson): Promise<JsonBody>;
  readonly preparation: Preparation;
  readonly heldData: HeldData;
  readonly part: Part;
}

/**
 * A thread cannot load TypeScript on Node 20: from the sources, as tests read them, everything stays
 * in the main thread.
 */
const threadEntry = import.meta.url.endsWith('.ts')
  ? undefined
  : new URL('./thread.js', import.meta.url);

export function createBodies(options: BodiesOptions): Bodies {
  const { metrics, deadlines, threads, heapMegabytes } = options;
  const pool =
    threadEntry === undefined
      ? undefined
      : createThreadPool({ entry: threadEntry, threads, heapMegabytes });
  const budget = createBodyBudget({
    ...options,
    onRefusal: (whose) => {
      counts.refused(whose);
    },
  });
  const counts = createBodyMetrics(metrics, {
    bytes: () => budget.bytes,
    waiting: () => pool?.waiting ?? 0,
  });
  const heldData = createHeldData();
  const pace = createBodyPace({ bytesPerSecond: options.accountBytesPerSecond });
  const collect = openCollector();
  const garbage = createBodyGarbage(() => {
    collect('minor');
  });
  const receive = (arriving: Arriving): Promise<Received> =>
    receiveBody({ budget, pace, garbage, deadlines }, arriving);
  return {
    receive,
    preparation: createPreparation(pool),
    heldData,
    async readJson(reading) {
      if (reading.isOptional === true && !hasBody(reading.incoming.headers)) return nothing;
      const { bytes, release } = await receive(reading);
      try {
        return await readReceived(reading, { bytes, release, pool, heldData });
      } catch (error) {
        release();
        throw error;
      }
    },
    part: {
      name: 'threads for bodies',
      stop: async () => pool?.stop(),
    },
  };
}

const nothing: JsonBody = {
  value: undefined,
  hash: () => hashBody(null),
  release: () => undefined,
};

interface Reading extends Omit<Received, 'grow'> {
  readonly pool: ThreadPool | undefined;
  readonly heldData: HeldData;
}

async function readReceived(
  { accountId, wantsHash = false }: ReadingJson,
  { bytes, release, pool, heldData }: Reading,
): Promise<JsonBody> {
  if (pool === undefined || !isLarge(bytes)) {
    const value = readInline(bytes);
    freeMemory(bytes);
    return { value, hash: () => hashBody(value), release };
  }
  const { value: read, bytes: back } = await pool.run(accountId, bytes, {
    kind: 'video',
    wantsHash,
  });
  freeMemory(back);
  const { value, hash, held } = read as VideoBody;
  heldData.hold(held);
  return {
    value,
    hash: () => hash ?? hashBody(value),
    release() {
      heldData.free(held);
      release();
    },
  };
}

/** Dense ones never get past their bounds. */
const isLarge = (bytes: Buffer): boolean => bytes.length > largestInlineBytes;

function readInline(bytes: Buffer): unknown {
  judgeJson(bytes, videoBounds);
  return parseJson(bytes);
}
