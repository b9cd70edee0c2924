// SQL by hand: many responses in one statement, and removals that pass over what somebody else has
// locked.
import type { Database } from '../database/database.ts';

/** One item of a response's input or output. */
export interface StoredItem {
  /** Null when nobody could name it; without control characters. */
  readonly itemId: string | null;
  readonly isOutput: boolean;
  /** As JSON in UTF-8. */
  readonly body: Buffer;
}

/** A finished response with its items. */
export interface NewStoredResponse {
  readonly accountId: string;
  readonly responseId: string;
  readonly previousId: string | null;
  /** The whole Response object, as JSON in UTF-8. */
  readonly response: Buffer;
  /** The input, then the output. */
  readonly items: readonly StoredItem[];
  /** Of all items, with something for each. */
  readonly itemBytes: number;
  /** What all of it counts against the limit of its account. */
  readonly sizeBytes: number;
}

/** Most that one statement removes, which bounds how long it takes. */
const mostRemovedBytes = 67_108_864;
const mostRemoved = 500;

export interface StoredResponses {
  /**
   * Keeps responses, each named once, all or none of them; one whose id its account has already is
   * left as it is.
   */
  keep(responses: readonly NewStoredResponse[]): Promise<void>;
  /**
   * Removes the oldest responses of those accounts that have more than `maxBytes`, as far as one
   * statement goes; returns how many.
   */
  trim(accountIds: readonly string[], maxBytes: number): Promise<number>;
  /** False when the account has no such response, or none that is not older than this. */
  remove(response: {
    readonly accountId: string;
    readonly responseId: string;
    readonly maxAgeHours: number;
  }): Promise<boolean>;
  /** Removes responses older than this, as far as one statement goes; returns how many. */
  removeOlder(thanHours: number): Promise<number>;
}

/**
 * All text comes as two parameters of bytes, which are sent as they are: as arrays of texts the
 * driver would write 16 MiB anew, character by character, and stop everything else meanwhile. Rows
 * in one order: two replicas that keep the same response wait for each other in turn.
 */
const keepSql = `
  WITH sent AS (
    SELECT *, sum(bytes) OVER (ORDER BY number) - bytes AS start
    FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::int[]) WITH ORDINALITY
      AS r(account_id, id, previous_id, bytes, item_bytes, size_bytes, number)),
  kept AS (
    INSERT INTO stored_response (account_id, id, previous_id, response, item_bytes, size_bytes)
    SELECT account_id, id, previous_id, convert_from(substring($7::bytea FROM start::int + 1 FOR bytes), 'UTF8'), item_bytes, size_bytes
    FROM sent ORDER BY account_id, id
    ON CONFLICT DO NOTHING RETURNING account_id, id),
  items AS (
    SELECT *, sum(bytes) OVER (ORDER BY place) - bytes AS start
    FROM unnest($8::int[], $9::int[], $10::boolean[], $11::text[], $12::int[]) WITH ORDINALITY
      AS i(number, position, is_output, item_id, bytes, place))
  INSERT INTO stored_item (account_id, response_id, position, is_output, item_id, body)
  SELECT k.account_id, k.id, i.position, i.is_output, i.item_id, convert_from(substring($13::bytea FROM i.start::int + 1 FOR i.bytes), 'UTF8')
  FROM items i JOIN sent s ON s.number = i.number JOIN kept k ON k.account_id = s.account_id AND k.id = s.id`;

/**
 * Locks whose room is made, so that two replicas do not make it twice, and waits for nobody
 * meanwhile. The oldest go until what is left is within the limit.
 */
const trimSql = `
  WITH full_accounts AS (
    SELECT account_id, least(bytes - $2, ${mostRemovedBytes}) AS excess FROM account_responses
    WHERE account_id = ANY($1) AND bytes > $2 ORDER BY account_id FOR UPDATE SKIP LOCKED),
  oldest AS (
    SELECT f.account_id, o.id FROM full_accounts f CROSS JOIN LATERAL (
      SELECT id, coalesce(sum(size_bytes) OVER (ORDER BY created_at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM (SELECT id, created_at, size_bytes FROM stored_response WHERE account_id = f.account_id
        ORDER BY created_at, id LIMIT ${mostRemoved} FOR UPDATE SKIP LOCKED) of_account) o
    WHERE o.before < f.excess)
  DELETE FROM stored_response r USING oldest o WHERE r.account_id = o.account_id AND r.id = o.id`;

const removeOlderSql = `
  WITH expired AS (
    SELECT account_id, id, sum(size_bytes) OVER (ORDER BY created_at, account_id, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (SELECT account_id, id, created_at, size_bytes FROM stored_response WHERE created_at <= now() - make_interval(hours => $1)
      ORDER BY created_at LIMIT ${mostRemoved} FOR UPDATE SKIP LOCKED) oldest)
  DELETE FROM stored_response r USING expired e
  WHERE r.account_id = e.account_id AND r.id = e.id AND coalesce(e.before, 0) < ${mostRemovedBytes}`;

export function createStoredResponses({ pool }: Database): StoredResponses {
  return {
    async keep(responses) {
      await pool.query({ name: 'keep-responses', text: keepSql, values: columnsOf(responses) });
    },
    async trim(accountIds, maxBytes) {
      const { rowCount } = await pool.query({
        name: 'trim-responses',
        text: trimSql,
        values: [accountIds, maxBytes],
      });
      return rowCount ?? 0;
    },
    async remove({ accountId, responseId, maxAgeHours }) {
      const { rowCount } = await pool.query(
        'DELETE FROM stored_response WHERE account_id = $1 AND id = $2 AND created_at > now() - make_interval(hours => $3)',
        [accountId, responseId, maxAgeHours],
      );
      return rowCount === 1;
    },
    async removeOlder(thanHours) {
      const { rowCount } = await pool.query(removeOlderSql, [thanHours]);
      return rowCount ?? 0;
    },
  };
}

/** By column, as `keepSql` takes them; an item names its response by its place among them. */
function columnsOf(responses: readonly NewStoredResponse[]): unknown[] {
  const items = responses.flatMap((response, index) =>
    response.items.map((item, position) => ({ ...item, number: index + 1, position })),
  );
  return [
    responses.map(({ accountId }) => accountId),
    responses.map(({ responseId }) => responseId),
    responses.map(({ previousId }) => previousId),
    responses.map(({ response }) => response.length),
    responses.map(({ itemBytes }) => itemBytes),
    responses.map(({ sizeBytes }) => sizeBytes),
    Buffer.concat(responses.map(({ response }) => response)),
    arrayOf(items.map(({ number }) => number)),
    arrayOf(items.map(({ position }) => position)),
    arrayOf(items.map(({ isOutput }) => isOutput)),
    arrayOf(items.map(({ itemId }) => (itemId === null ? null : quoted(itemId)))),
    arrayOf(items.map(({ body }) => body.length)),
    Buffer.concat(items.map(({ body }) => body)),
  ];
}

/** As PostgreSQL writes it: the driver takes ten times as long, and there may be tens of thousands. */
const arrayOf = (elements: readonly (string | number | boolean | null)[]): string =>
  `{${elements.map((element) => element ?? 'NULL').join(',')}}`;

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
