import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '@gateway/domain';
import type { ItemPage, NewStoredResponse, StoredResponseReads } from '@gateway/store';
import { createAccountRates } from './account-rates.ts';
import { createAccountSlots } from './account-slots.ts';
import type { ResponseIntake } from './response-intake.ts';
import type { ResponseQueue } from './response-queue.ts';
import { isName, mostItems } from './write-response.ts';

export interface KeptReadsOptions {
  readonly reads: StoredResponseReads;
  readonly queue: ResponseQueue;
  readonly settled: ResponseIntake['settled'];
  /** 0: there is nothing. */
  readonly retentionHours: number;
  /** After what times a miss is looked for again: another replica may be writing it. */
  readonly againMs: readonly number[];
}

interface Named {
  readonly accountId: string;
  readonly responseId: string;
}

export interface InputPageQuery extends Named {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  readonly after: string | undefined;
}

interface ItemsQuery {
  readonly accountId: string;
  readonly itemIds: readonly string[];
}

/** What is kept for an account, in this replica's queue or in the database. */
export interface KeptReads {
  /** Items as JSON, oldest first. */
  conversation(named: Named): Promise<readonly string[] | null>;
  /** Items as JSON, by id. */
  items(query: ItemsQuery): Promise<ReadonlyMap<string, string>>;
  /** The whole Response object, as JSON. */
  find(named: Named): Promise<string | undefined>;
  /** A page of its own input; `unknown_cursor` when it has no item `after`. */
  inputPage(query: InputPageQuery): Promise<ItemPage | 'unknown_cursor' | undefined>;
}

/** Of what one request may name. */
const maxBytes = 16_777_216;
const maxResponses = 1_000;
/** What a small request may name is large: an account reads so much of it, and so often at once. */
const accountRate = { bytesPerSecond: 16_777_216, burstBytes: 33_554_432 };
const slots = { most: 4, waitMs: 10_000 };

/**
 * The queue is asked first: what is not in it has been written, or was never here. An id that
 * nobody could have been given is not looked for.
 */
export function createKeptReads(options: KeptReadsOptions): KeptReads {
  const { reads, queue, settled, retentionHours: maxAgeHours } = options;
  const isKept = (id: string): boolean => maxAgeHours > 0 && isName(id);
  const patiently = createPatience(options.againMs);
  const paced = createPace();
  return {
    async conversation({ accountId, responseId }) {
      if (!isKept(responseId)) return null;
      await settled(accountId);
      const walk = () => walkConversation(options, { accountId, responseId });
      return (await patiently(() => paced(accountId, walk))) ?? null;
    },
    async items({ accountId, itemIds }) {
      const wanted = new Set(itemIds.filter(isKept));
      if (wanted.size === 0) return new Map();
      if (wanted.size > mostItems) throw tooLong('input');
      await settled(accountId);
      const found = new Map<string, string>();
      await patiently(async () => {
        const missing = [...wanted].filter((id) => !found.has(id));
        const find = () => findItems(options, { accountId, itemIds: missing }, bytesOf(found));
        for (const [id, body] of await paced(accountId, find)) found.set(id, body);
        return found.size === wanted.size || undefined;
      });
      return found;
    },
    async find({ accountId, responseId }) {
      if (!isKept(responseId)) return undefined;
      await settled(accountId);
      return patiently(
        async () =>
          queue.find(accountId, responseId)?.response.toString() ??
          (await reads.find({ accountId, responseId, maxAgeHours })),
      );
    },
    async inputPage({ accountId, responseId, ...page }) {
      if (!isKept(responseId)) return undefined;
      if (page.after !== undefined && !isName(page.after)) return 'unknown_cursor';
      await settled(accountId);
      return patiently(async () => {
        const queued = queue.find(accountId, responseId);
        if (queued !== undefined) return pageOf(queued, page);
        return reads.inputPage({ accountId, responseId, maxAgeHours, ...page });
      });
    },
  };
}

type Patience = <Found>(find: () => Promise<Found | undefined>) => Promise<Found | undefined>;

const createPatience =
  (againMs: readonly number[]): Patience =>
  async (find) => {
    let found = await find();
    for (const ms of againMs) {
      if (found !== undefined) break;
      await pause(ms);
      found = await find();
    }
    return found;
  };

/** Reads items within the rate of their account. */
function createPace() {
  const inTurn = createAccountSlots(slots);
  const rates = createAccountRates({ ...accountRate, nowMs: () => performance.now() });
  return <Found extends readonly string[] | ReadonlyMap<string, string> | undefined>(
    accountId: string,
    read: () => Promise<Found>,
  ): Promise<Found> =>
    inTurn(accountId, async () => {
      if (!rates.mayGoOn(accountId)) {
        throw new GatewayError(
          'rate_limit_exceeded',
          `an account may name stored items of ${accountRate.bytesPerSecond} bytes a second; wait as long as retry-after says`,
          { retryAfterMs: 1_000 },
        );
      }
      const found = await read();
      if (found !== undefined) rates.charge(accountId, bytesOf(found));
      return found;
    });
}

const bytesOf = (found: readonly string[] | ReadonlyMap<string, string>): number => {
  let bytes = 0;
  for (const body of found.values()) bytes += body.length;
  return bytes;
};

/** The newest responses may be in the queue, and what they build on in the database. */
async function walkConversation(
  { queue, reads, retentionHours: maxAgeHours }: KeptReadsOptions,
  { accountId, responseId }: Named,
): Promise<readonly string[] | undefined> {
  const queued: NewStoredResponse[] = [];
  let bytes = 0;
  let next: string | null = responseId;
  while (next !== null) {
    const response = queue.find(accountId, next);
    if (response === undefined) break;
    queued.unshift(response);
    bytes += response.itemBytes;
    if (queued.length > maxResponses || bytes > maxBytes) throw tooLong('previous_response_id');
    next = response.previousId;
  }
  const stored =
    next === null
      ? []
      : await reads.conversation({
          accountId,
          responseId: next,
          maxAgeHours,
          maxResponses: maxResponses - queued.length,
          maxBytes: maxBytes - bytes,
        });
  if (stored === 'gone') return undefined;
  if (stored === 'too_long') throw tooLong('previous_response_id');
  return [...stored, ...queued.flatMap(({ items }) => items.map(({ body }) => body.toString()))];
}

/** What there is of these, when it is not too much beside the bytes that were found before. */
async function findItems(
  { queue, reads, retentionHours: maxAgeHours }: KeptReadsOptions,
  { accountId, itemIds }: ItemsQuery,
  foundBytes: number,
): Promise<ReadonlyMap<string, string>> {
  const queued = queuedItems(queue, accountId, itemIds);
  const rest = itemIds.filter((id) => !queued.has(id));
  const left = maxBytes - foundBytes - bytesOf(queued);
  if (left < 0) throw tooLong('input');
  if (rest.length === 0) return queued;
  const stored = await reads.items({ accountId, itemIds: rest, maxAgeHours, maxBytes: left });
  if (stored === 'too_long') throw tooLong('input');
  return new Map([...queued, ...stored]);
}

function queuedItems(
  queue: ResponseQueue,
  accountId: string,
  itemIds: readonly string[],
): ReadonlyMap<string, string> {
  const wanted = new Set(itemIds);
  const found = new Map<string, string>();
  for (const { items } of queue.ofAccount(accountId)) {
    for (const { itemId, body } of items) {
      if (itemId !== null && wanted.delete(itemId)) found.set(itemId, body.toString());
    }
  }
  return found;
}

/** As the database would page it. */
function pageOf(
  { items }: NewStoredResponse,
  { limit, order, after }: Pick<InputPageQuery, 'limit' | 'order' | 'after'>,
): ItemPage | 'unknown_cursor' {
  const input = items.filter(({ isOutput }) => !isOutput);
  const last = input.findLastIndex(({ itemId }) => itemId === after);
  if (after !== undefined && last === -1) return 'unknown_cursor';
  const beyond =
    order === 'asc'
      ? input.slice(after === undefined ? 0 : last + 1)
      : input.slice(0, after === undefined ? input.length : last).reverse();
  return {
    items: beyond.slice(0, limit).map(({ itemId, body }) => ({ itemId, body: body.toString() })),
    hasMore: beyond.length > limit,
  };
}

const tooLong = (param: 'input' | 'previous_response_id'): GatewayError =>
  new GatewayError(
    'context_length_exceeded',
    `what ${param} refers to has more than ${maxBytes} bytes, ${maxResponses} responses or ${mostItems} items; send the items that matter as input`,
    { param },
  );
