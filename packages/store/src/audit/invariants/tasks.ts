import { successorsOf, taskStatuses, terminalStatuses } from '@gateway/domain';
import { lastDroppedEntry, lastLedgerDrop, listOf, text, type Invariant } from './invariant.ts';

/**
 * Every pair of statuses that may follow each other, '' before the first: the table of the state
 * machine, as SQL.
 */
const legalPairs = [
  `('', 'queued')`,
  ...taskStatuses.flatMap((from) => successorsOf(from).map((to) => `(${text(from)}, ${text(to)})`)),
].join(', ');
const terminal = listOf(terminalStatuses);
const unsuccessful = listOf(terminalStatuses.filter((status) => status !== 'succeeded'));

/** Sums of entries by task: one read of the ledger instead of one for each hold. */
const entriesByTask = (within: (column: string) => string): string => `(
  SELECT task_id, coalesce(sum(quota) FILTER (WHERE kind = 'hold'), 0) AS held, coalesce(sum(quota) FILTER (WHERE kind = 'charge'), 0) AS charged,
    coalesce(sum(quota) FILTER (WHERE kind = 'release'), 0) AS released, count(*) FILTER (WHERE kind = 'hold') AS holds, min(account_id) AS account_id,
    max(account_id) AS last_account_id, string_agg(kind || ' ' || quota, ', ' ORDER BY id) AS found
  FROM ledger_entry WHERE ${within('task_id')} GROUP BY task_id)`;

/** A hold and its task, both of them among those to be checked. */
const pairs = (within: (column: string) => string): string =>
  `FROM task t JOIN hold h ON h.task_id = t.id WHERE ${within('t.id')} AND ${within('h.task_id')}`;

/**
 * Neither a hold, nor an archived task, nor one of a time whose archive was dropped, nor a later entry of
 * a task whose first one was dropped. In this order, and one by one: subqueries that cannot become joins
 * or read a whole table.
 */
const isWithoutHold = `coalesce(
        (SELECT true FROM hold h WHERE h.task_id = e.task_id),
        (SELECT true FROM archived_task a WHERE a.task_id = e.task_id LIMIT 1),
        (SELECT true FROM ledger_entry first WHERE first.task_id = e.task_id AND first.kind = 'hold'
           AND first.created_at < (SELECT max(until_at) FROM data_partition WHERE parent = 'archived_task' AND dropped_at IS NOT NULL)),
        (SELECT true WHERE e.kind <> 'hold' AND e.created_at <= ${lastLedgerDrop}
           AND NOT EXISTS (SELECT 1 FROM ledger_entry first WHERE first.task_id = e.task_id AND first.kind = 'hold'))) IS NULL`;

const holds = {
  task_costs_what_is_held: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('task of %s costs %s × %s = %s, hold of %s is %s × %s = %s', t.account_id, t.reserved_seconds, t.second_quota, t.max_quota,
        h.account_id, h.seconds, h.second_quota, h.quota) AS detail ${pairs(within)}
        AND (t.account_id, t.reserved_seconds, t.second_quota, t.max_quota, t.price) IS DISTINCT FROM (h.account_id, h.seconds, h.second_quota, h.quota, h.price)`,
  },
  charged_as_billed: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('billed %s, charged %s', t.billed_quota, h.charged_quota) AS detail ${pairs(within)}
        AND t.completed_at IS NOT NULL AND h.state = 'closed' AND t.billed_quota IS DISTINCT FROM h.charged_quota`,
  },
  deleted_task_charged_as_billed: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT d.task_id AS subject, format('billed %s, hold is %s, charged %s', d.billed_quota, h.state, h.charged_quota) AS detail
      FROM deleted_task d JOIN hold h USING (task_id)
      WHERE ${within('d.task_id')} AND ${within('h.task_id')} AND h.charged_quota IS DISTINCT FROM d.billed_quota`,
  },
  only_success_is_charged: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('task is %s, charged %s', t.status, h.charged_quota) AS detail ${pairs(within)}
        AND t.status IN (${unsuccessful}) AND h.charged_quota <> 0`,
  },
  charge_is_within_its_hold: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT task_id AS subject, format('hold %s, charged %s', quota, charged_quota) AS detail FROM hold
      WHERE ${within('task_id')} AND (charged_quota < 0 OR charged_quota > quota)`,
  },
  charge_has_its_task: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT h.task_id AS subject, format('charged %s at %s', h.charged_quota, h.closed_at) AS detail FROM hold h
      WHERE ${within('h.task_id')} AND h.charged_quota <> 0 AND h.task_deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = h.task_id)`,
  },
  closed_hold_has_its_entries: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT h.task_id AS subject, format('hold %s charged %s, entries: %s', h.quota, h.charged_quota, coalesce(e.found, 'none')) AS detail
      FROM hold h LEFT JOIN ${entriesByTask(within)} e USING (task_id)
      WHERE ${within('h.task_id')} AND h.state = 'closed' AND (e.task_id IS NULL OR e.holds <> 1 OR e.account_id <> h.account_id OR e.last_account_id <> h.account_id
        OR e.held <> h.quota OR e.charged <> h.charged_quota OR e.charged + e.released <> greatest(h.quota, h.charged_quota))
        AND (coalesce(e.holds, 0) > 0 OR h.created_at > coalesce(${lastDroppedEntry}, '-infinity'))`,
  },
  entry_has_its_hold: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT e.task_id AS subject, format('%s %s of %s without a hold', e.kind, e.quota, e.account_id) AS detail
      FROM ledger_entry e WHERE ${within('e.task_id')} AND ${isWithoutHold}`,
  },
} as const satisfies Record<string, Invariant>;

const events = {
  events_are_gapless: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('%s events, newest %s', coalesce(e.events, 0), t.event_sequence) AS detail
      FROM task t LEFT JOIN (SELECT task_id, count(*) AS events, max(sequence) AS newest FROM task_event WHERE ${within('task_id')} GROUP BY task_id) e ON e.task_id = t.id
      WHERE ${within('t.id')} AND (coalesce(e.events, 0) <> t.event_sequence OR e.newest <> t.event_sequence)`,
  },
  // Only neighbours are compared: what is missing between two others is named by
  // events_are_gapless.
  events_make_legal_moves: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT task_id AS subject, format('event %s is %s after %s', sequence, status, coalesce(previous, 'nothing')) AS detail
      FROM (
        SELECT task_id, sequence, status, lag(sequence) OVER w AS before, lag(status) OVER w AS previous
        FROM task_event WHERE ${within('task_id')} WINDOW w AS (PARTITION BY task_id ORDER BY sequence)) e
      WHERE sequence = 1 + coalesce(before, 0) AND (coalesce(previous, ''), status) NOT IN (${legalPairs})`,
  },
  status_is_of_the_last_event: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('task is %s, event %s is %s', t.status, e.sequence, e.status) AS detail
      FROM task t JOIN task_event e ON e.task_id = t.id AND e.sequence = t.event_sequence
      WHERE ${within('t.id')} AND ${within('e.task_id')} AND e.status <> t.status`,
  },
  push_is_of_its_event: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT p.task_id AS subject, format('push %s is %s, its event is %s', p.sequence, p.status, coalesce(e.status, 'missing')) AS detail
      FROM callback_push p JOIN task t ON t.id = p.task_id LEFT JOIN task_event e ON e.task_id = p.task_id AND e.sequence = p.sequence
      WHERE ${within('p.task_id')} AND ${within('t.id')} AND (e.status <> p.status OR (p.sequence > t.event_sequence AND t.completed_at IS NULL))`,
  },
  // By the order of writing, which only the holder of the claim does: the clocks of two dispatchers differ.
  no_push_after_the_terminal_one: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT p.task_id AS subject, format('push %s is %s, event %s was %s', p.sequence, p.status, t.event_sequence, t.status) AS detail
      FROM callback_push p JOIN task t ON t.id = p.task_id
      WHERE ${within('p.task_id')} AND ${within('t.id')} AND t.status IN (${terminal}) AND p.sequence > t.event_sequence
      UNION ALL
      SELECT a.task_id, format('push %s was attempted at %s, event %s had been delivered at %s', a.sequence, a.started_at, t.event_sequence, d.started_at)
      FROM callback_push p JOIN task t ON t.id = p.task_id AND t.event_sequence = p.sequence AND t.status IN (${terminal})
      JOIN callback_attempt d ON d.task_id = p.task_id AND d.sequence = p.sequence AND d.class = 'success' AND d.trigger = 'auto'
      JOIN callback_attempt a ON a.task_id = p.task_id AND a.sequence < p.sequence AND a.trigger = 'auto' AND a.serial > d.serial
      WHERE ${['p.task_id', 't.id', 'd.task_id', 'a.task_id'].map(within).join(' AND ')} AND p.state = 'delivered'`,
  },
} as const satisfies Record<string, Invariant>;

const media = {
  succeeded_task_has_its_video: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, 'no content in media' AS detail FROM task t
      WHERE ${within('t.id')} AND t.status = 'succeeded' AND NOT EXISTS (SELECT 1 FROM media m WHERE m.task_id = t.id AND m.variant = 'content')`,
  },
  shown_poster_has_its_file: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, 'no poster in media' AS detail FROM task t
      WHERE ${within('t.id')} AND t.status = 'succeeded' AND (t.result ->> 'hasPoster')::boolean
        AND NOT EXISTS (SELECT 1 FROM media m WHERE m.task_id = t.id AND m.variant = 'poster')`,
  },
  media_are_purged_with_their_task: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('task is purged at %s, its %s at %s', coalesce(t.media_purged_at::text, 'no time'), m.variant, coalesce(m.purged_at::text, 'no time')) AS detail
      FROM task t JOIN media m ON m.task_id = t.id WHERE ${within('t.id')} AND ${within('m.task_id')} AND t.media_purged_at IS DISTINCT FROM m.purged_at`,
  },
  media_are_kept_their_time: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('purged at %s, promised for %s days from %s on', t.media_purged_at, t.retention_days, t.completed_at) AS detail
      FROM task t WHERE ${within('t.id')} AND t.media_purged_at AT TIME ZONE 'UTC' < retained_until(t.completed_at, t.retention_days)`,
  },
  late_success_is_of_an_unbilled_task: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT x.task_id AS subject, format('task is %s', t.status) AS detail
      FROM exposure x JOIN task t ON t.id = x.task_id
      WHERE ${within('x.task_id')} AND ${within('t.id')} AND x.kind = 'late_success' AND t.status NOT IN (${unsuccessful})`,
  },
  unknown_submission_is_exposure: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, 'no exposure was recorded' AS detail FROM task t
      WHERE ${within('t.id')} AND t.failure_code = 'submission_unknown' AND t.completed_at < now() - make_interval(secs => {grace})
        AND NOT EXISTS (SELECT 1 FROM exposure x WHERE x.task_id = t.id AND x.kind = 'submission_unknown')`,
  },
} as const satisfies Record<string, Invariant>;

export const taskInvariants = { ...holds, ...events, ...media } as const;
