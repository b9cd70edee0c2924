// SQL by hand: requests wait for it, and a conversation is walked by one statement.
import type { Database } from '../database/database.ts';

/** Whose, and how old what is shown may be: nothing older is there, removed or not. */
export interface KeptQuery {
  readonly accountId: string;
  readonly maxAgeHours: number;
}

export interface ConversationQuery extends KeptQuery {
  readonly responseId: string;
  readonly maxResponses: number;
  /** Of all items. */
  readonly maxBytes: number;
}

/** Items as JSON, oldest first; `gone` when a response of the conversation is not there. */
export type Conversation = readonly string[] | 'gone' | 'too_long';

export interface ItemPageQuery extends KeptQuery {
  readonly responseId: string;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** Only items that follow this one, in that order. */
  readonly after?: string | undefined;
}

export interface ItemPage {
  readonly items: readonly { readonly itemId: string | null; readonly body: string }[];
  readonly hasMore: boolean;
}

export interface StoredResponseReads {
  /** Walks from a response to its predecessors. */
  conversation(query: ConversationQuery): Promise<Conversation>;
  /** Items as JSON, by id: of several with one id the newest. `too_long`: beyond `maxBytes`. */
  items(
    query: KeptQuery & { readonly itemIds: readonly string[]; readonly maxBytes: number },
  ): Promise<ReadonlyMap<string, string> | 'too_long'>;
  /** The whole Response object, as JSON. */
  find(query: KeptQuery & { readonly responseId: string }): Promise<string | undefined>;
  /**
   * A page of a response's own input, as JSON; undefined when the account has no such response, and
   * `unknown_cursor` when this response has no such item.
   */
  inputPage(query: ItemPageQuery): Promise<ItemPage | 'unknown_cursor' | undefined>;
}

const isFresh = (hours: string): string => `created_at > now() - make_interval(hours => ${hours})`;

/**
 * $1 account, $2 response, $3 hours, $4 and $5 the bounds. The walk ends one step beyond a bound;
 * sizes are known before any item is read.
 */
const conversationSql = `
  WITH RECURSIVE chain AS (
    SELECT id, previous_id, 1 AS depth, item_bytes::bigint AS bytes FROM stored_response
    WHERE account_id = $1 AND id = $2 AND ${isFresh('$3')}
    UNION ALL
    SELECT r.id, r.previous_id, c.depth + 1, c.bytes + r.item_bytes
    FROM chain c JOIN stored_response r ON r.account_id = $1 AND r.id = c.previous_id AND r.${isFresh('$3')}
    WHERE c.depth <= $4 AND c.bytes <= $5),
  walked AS (
    SELECT bool_or(previous_id IS NULL) AS is_whole, max(depth) > $4 OR max(bytes) > $5 AS is_too_long FROM chain)
  SELECT w.is_whole AS "isWhole", w.is_too_long AS "isTooLong", i.body FROM walked w LEFT JOIN LATERAL (
    SELECT item.body, c.depth, item.position FROM chain c JOIN stored_item item ON item.account_id = $1 AND item.response_id = c.id
    WHERE w.is_whole AND NOT w.is_too_long) i ON true
  ORDER BY i.depth DESC, i.position`;

/** Sizes are read without the bodies, and the bodies only when all of them are within the bound. */
const itemsSql = `
  WITH found AS MATERIALIZED (
    SELECT newest.item_id, newest.body FROM (SELECT DISTINCT unnest($2::text[]) AS id) wanted CROSS JOIN LATERAL (
      SELECT item_id, body FROM stored_item WHERE account_id = $1 AND item_id = wanted.id AND ${isFresh('$3')}
      ORDER BY created_at DESC LIMIT 1) newest),
  total AS (SELECT coalesce(sum(octet_length(body)), 0) > $4 AS is_too_long FROM found)
  SELECT t.is_too_long AS "isTooLong", f.item_id AS "itemId", f.body FROM total t LEFT JOIN found f ON NOT t.is_too_long`;

const findSql = `SELECT response FROM stored_response WHERE account_id = $1 AND id = $2 AND ${isFresh('$3')}`;

/** $4 one more than the page has, $5 the cursor; one row at least when the response is there. */
const inputPageSql = (order: 'asc' | 'desc'): string => `
  WITH cursor AS (
    SELECT max(position) AS position FROM stored_item WHERE account_id = $1 AND response_id = $2 AND NOT is_output AND item_id = $5)
  SELECT $5::text IS NOT NULL AND c.position IS NULL AS "isUnknown", i.item_id AS "itemId", i.body
  FROM stored_response r CROSS JOIN cursor c LEFT JOIN LATERAL (
    SELECT position, item_id, body FROM stored_item WHERE account_id = $1 AND response_id = $2 AND NOT is_output
      AND ($5::text IS NULL OR position ${order === 'asc' ? '>' : '<'} c.position)
    ORDER BY position ${order} LIMIT $4) i ON true
  WHERE r.account_id = $1 AND r.id = $2 AND r.${isFresh('$3')} ORDER BY i.position ${order}`;

export function createStoredResponseReads({ pool }: Database): StoredResponseReads {
  return { ...wholes(pool), ...ofItems(pool) };
}

const wholes = (pool: Database['pool']): Pick<StoredResponseReads, 'conversation' | 'find'> => ({
  async conversation({ accountId, responseId, maxAgeHours, maxResponses, maxBytes }) {
    const { rows } = await pool.query<{
      isWhole: boolean | null;
      isTooLong: boolean | null;
      body: string | null;
    }>({
      name: 'walk-conversation',
      text: conversationSql,
      values: [accountId, responseId, maxAgeHours, maxResponses, maxBytes],
    });
    if (rows[0]?.isTooLong === true) return 'too_long';
    if (rows[0]?.isWhole !== true) return 'gone';
    return rows.flatMap(({ body }) => (body === null ? [] : [body]));
  },
  async find({ accountId, responseId, maxAgeHours }) {
    const { rows } = await pool.query<{ response: string }>({
      name: 'find-response',
      text: findSql,
      values: [accountId, responseId, maxAgeHours],
    });
    return rows[0]?.response;
  },
});

const ofItems = (pool: Database['pool']): Pick<StoredResponseReads, 'items' | 'inputPage'> => ({
  async items({ accountId, itemIds, maxAgeHours, maxBytes }) {
    const { rows } = await pool.query<{
      isTooLong: boolean;
      itemId: string | null;
      body: string | null;
    }>({
      name: 'find-items',
      text: itemsSql,
      values: [accountId, itemIds, maxAgeHours, maxBytes],
    });
    if (rows[0]?.isTooLong === true) return 'too_long';
    return new Map(
      rows.flatMap(({ itemId, body }) =>
        itemId === null || body === null ? [] : [[itemId, body] as const],
      ),
    );
  },
  async inputPage({ accountId, responseId, maxAgeHours, limit, order, after }) {
    const { rows } = await pool.query<{
      isUnknown: boolean;
      itemId: string | null;
      body: string | null;
    }>({
      name: `page-input-${order}`,
      text: inputPageSql(order),
      values: [accountId, responseId, maxAgeHours, limit + 1, after ?? null],
    });
    if (rows[0] === undefined) return undefined;
    if (rows[0].isUnknown) return 'unknown_cursor';
    const items = rows.flatMap(({ itemId, body }) => (body === null ? [] : [{ itemId, body }]));
    return { items: items.slice(0, limit), hasMore: items.length > limit };
  },
});
