import { successorsOf, taskStatuses, terminalStatuses } from '@gateway/domain';

const text = (value: string): string => `'${value}'`;
const listOf = (values: readonly string[]): string => values.map(text).join(', ');

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

/** What an entry adds to its account's balance and to what is held of it. */
const balanceStep = `CASE WHEN debit LIKE 'operator:%' THEN quota WHEN credit LIKE 'operator:%' THEN -quota ELSE 0 END`;
const heldStep = `CASE WHEN credit = 'held' THEN quota WHEN debit = 'held' THEN -quota ELSE 0 END`;

/** Sums of entries by task: one scan of the ledger instead of one read for each hold. */
const entriesByTask = `
  SELECT task_id, coalesce(sum(quota) FILTER (WHERE kind = 'hold'), 0) AS held, coalesce(sum(quota) FILTER (WHERE kind = 'charge'), 0) AS charged,
    coalesce(sum(quota) FILTER (WHERE kind = 'release'), 0) AS released, count(*) FILTER (WHERE kind = 'hold') AS holds, min(account_id) AS account_id,
    max(account_id) AS last_account_id, string_agg(kind || ' ' || quota, ', ' ORDER BY id) AS found
  FROM ledger_entry WHERE task_id IS NOT NULL GROUP BY task_id`;

const accounts = {
  balance_is_sum_of_entries: `
    SELECT account_id AS subject, format('balance %s, entries %s', b.balance, coalesce(e.total, 0)) AS detail
    FROM balance b LEFT JOIN (SELECT account_id, sum(${balanceStep}) AS total FROM ledger_entry GROUP BY account_id) e USING (account_id)
    WHERE b.balance <> coalesce(e.total, 0)`,
  held_is_sum_of_open_holds: `
    SELECT account_id AS subject, format('held %s, open holds %s', b.held, coalesce(h.total, 0)) AS detail
    FROM balance b LEFT JOIN (SELECT account_id, sum(quota) AS total FROM hold WHERE state = 'open' GROUP BY account_id) h USING (account_id)
    WHERE b.held <> coalesce(h.total, 0)`,
  held_is_sum_of_entries: `
    SELECT account_id AS subject, format('held %s, entries %s', b.held, coalesce(e.total, 0)) AS detail
    FROM balance b LEFT JOIN (SELECT account_id, sum(${heldStep}) AS total FROM ledger_entry GROUP BY account_id) e USING (account_id)
    WHERE b.held <> coalesce(e.total, 0)`,
  no_account_below_zero: `SELECT account_id AS subject, format('balance %s, held %s', balance, held) AS detail FROM balance WHERE held < 0 OR balance < held`,
  entries_form_a_chain: `
    SELECT account_id AS subject, format('entry %s leads to balance %s and held %s, and says %s and %s', id, balance, held, balance_after, held_after) AS detail
    FROM (
      SELECT account_id, id, balance_after, held_after,
        lag(balance_after, 1, 0::bigint) OVER w + ${balanceStep} AS balance, lag(held_after, 1, 0::bigint) OVER w + ${heldStep} AS held
      FROM ledger_entry WINDOW w AS (PARTITION BY account_id ORDER BY id)) e
    WHERE balance <> balance_after OR held <> held_after`,
} as const;

const holds = {
  live_task_has_open_hold: `
    SELECT t.id AS subject, format('task is %s, hold is %s', t.status, coalesce(h.state, 'missing')) AS detail
    FROM task t LEFT JOIN hold h ON h.task_id = t.id WHERE t.completed_at IS NULL AND h.state IS DISTINCT FROM 'open'`,
  terminal_task_has_closed_hold: `
    SELECT t.id AS subject, format('task is %s since %s', t.status, t.completed_at) AS detail
    FROM task t JOIN hold h ON h.task_id = t.id
    WHERE h.state = 'open' AND t.completed_at < now() - make_interval(secs => $1)`,
  charged_as_billed: `
    SELECT t.id AS subject, format('billed %s, charged %s', t.billed_quota, h.charged_quota) AS detail
    FROM task t JOIN hold h ON h.task_id = t.id WHERE t.completed_at IS NOT NULL AND h.state = 'closed' AND t.billed_quota IS DISTINCT FROM h.charged_quota`,
  deleted_task_charged_as_billed: `
    SELECT d.task_id AS subject, format('billed %s, hold is %s, charged %s', d.billed_quota, h.state, h.charged_quota) AS detail
    FROM deleted_task d JOIN hold h USING (task_id) WHERE h.charged_quota IS DISTINCT FROM d.billed_quota`,
  only_success_is_charged: `
    SELECT t.id AS subject, format('task is %s, charged %s', t.status, h.charged_quota) AS detail
    FROM task t JOIN hold h ON h.task_id = t.id WHERE t.status IN (${unsuccessful}) AND h.charged_quota <> 0`,
  charge_is_within_its_hold: `
    SELECT task_id AS subject, format('hold %s, charged %s', quota, charged_quota) AS detail FROM hold WHERE charged_quota < 0 OR charged_quota > quota`,
  charge_has_its_task: `
    SELECT h.task_id AS subject, format('charged %s at %s', h.charged_quota, h.closed_at) AS detail FROM hold h
    WHERE h.charged_quota <> 0 AND h.task_deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = h.task_id)`,
  open_hold_has_its_entry: `
    SELECT h.task_id AS subject, format('hold %s, entries: %s', h.quota, coalesce(e.found, 'none')) AS detail
    FROM hold h LEFT JOIN LATERAL (
      SELECT count(*) AS entries, sum(quota) FILTER (WHERE kind = 'hold' AND account_id = h.account_id) AS held, string_agg(kind || ' ' || quota, ', ' ORDER BY id) AS found
      FROM ledger_entry WHERE task_id = h.task_id) e ON true
    WHERE h.state = 'open' AND (e.entries <> 1 OR e.held IS DISTINCT FROM h.quota)`,
  closed_hold_has_its_entries: `
    SELECT h.task_id AS subject, format('hold %s charged %s, entries: %s', h.quota, h.charged_quota, coalesce(e.found, 'none')) AS detail
    FROM hold h LEFT JOIN (${entriesByTask}) e USING (task_id)
    WHERE h.state = 'closed' AND (e.task_id IS NULL OR e.holds <> 1 OR e.account_id <> h.account_id OR e.last_account_id <> h.account_id
      OR e.held <> h.quota OR e.charged <> h.charged_quota OR e.charged + e.released <> greatest(h.quota, h.charged_quota))`,
  entry_has_its_hold: `
    SELECT e.task_id AS subject, format('%s %s of %s without a hold', e.kind, e.quota, e.account_id) AS detail
    FROM ledger_entry e WHERE e.task_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hold h WHERE h.task_id = e.task_id)`,
  hold_without_task: `
    SELECT h.task_id AS subject, format('open since %s', h.created_at) AS detail FROM hold h
    WHERE h.state = 'open' AND h.created_at < now() - make_interval(secs => $1 * 4) AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = h.task_id)`,
} as const;

const histories = {
  events_are_gapless: `
    SELECT t.id AS subject, format('%s events, newest %s', count(e.sequence), t.event_sequence) AS detail
    FROM task t LEFT JOIN task_event e ON e.task_id = t.id GROUP BY t.id
    HAVING count(e.sequence) <> t.event_sequence OR max(e.sequence) <> t.event_sequence`,
  // Only neighbours are compared: what is missing between two others is named by
  // events_are_gapless.
  events_make_legal_moves: `
    SELECT task_id AS subject, format('event %s is %s after %s', sequence, status, coalesce(previous, 'nothing')) AS detail
    FROM (
      SELECT task_id, sequence, status, lag(sequence) OVER w AS before, lag(status) OVER w AS previous
      FROM task_event WINDOW w AS (PARTITION BY task_id ORDER BY sequence)) e
    WHERE sequence = 1 + coalesce(before, 0) AND (coalesce(previous, ''), status) NOT IN (${legalPairs})`,
  status_is_of_the_last_event: `
    SELECT t.id AS subject, format('task is %s, event %s is %s', t.status, e.sequence, e.status) AS detail
    FROM task t JOIN task_event e ON e.task_id = t.id AND e.sequence = t.event_sequence WHERE e.status <> t.status`,
  push_is_of_its_event: `
    SELECT p.task_id AS subject, format('push %s is %s, its event is %s', p.sequence, p.status, coalesce(e.status, 'missing')) AS detail
    FROM callback_push p JOIN task t ON t.id = p.task_id LEFT JOIN task_event e ON e.task_id = p.task_id AND e.sequence = p.sequence
    WHERE e.status <> p.status OR (p.sequence > t.event_sequence AND t.completed_at IS NULL)`,
  no_push_after_the_terminal_one: `
    SELECT p.task_id AS subject, format('push %s is %s, event %s was %s', p.sequence, p.status, t.event_sequence, t.status) AS detail
    FROM callback_push p JOIN task t ON t.id = p.task_id WHERE t.status IN (${terminal}) AND p.sequence > t.event_sequence
    UNION ALL
    SELECT a.task_id, format('push %s was attempted at %s, event %s had been delivered at %s', a.sequence, a.started_at, t.event_sequence, d.started_at)
    FROM callback_push p JOIN task t ON t.id = p.task_id AND t.event_sequence = p.sequence AND t.status IN (${terminal})
    JOIN callback_attempt d ON d.task_id = p.task_id AND d.sequence = p.sequence AND d.class = 'success' AND d.trigger = 'auto'
    JOIN callback_attempt a ON a.task_id = p.task_id AND a.sequence < p.sequence AND a.trigger = 'auto' AND a.started_at > d.started_at
    WHERE p.state = 'delivered'`,
  succeeded_task_has_its_video: `
    SELECT t.id AS subject, 'no content in media' AS detail FROM task t
    WHERE t.status = 'succeeded' AND NOT EXISTS (SELECT 1 FROM media m WHERE m.task_id = t.id AND m.variant = 'content')`,
  media_are_purged_with_their_task: `
    SELECT t.id AS subject, format('task is purged at %s, its %s at %s', coalesce(t.media_purged_at::text, 'no time'), m.variant, coalesce(m.purged_at::text, 'no time')) AS detail
    FROM task t JOIN media m ON m.task_id = t.id WHERE t.media_purged_at IS DISTINCT FROM m.purged_at`,
  media_are_kept_their_time: `
    SELECT t.id AS subject, format('purged at %s, promised for %s days from %s on', t.media_purged_at, t.retention_days, t.completed_at) AS detail
    FROM task t WHERE t.media_purged_at AT TIME ZONE 'UTC' < retained_until(t.completed_at, t.retention_days)`,
  late_success_is_of_an_unbilled_task: `
    SELECT x.task_id AS subject, format('task is %s', t.status) AS detail
    FROM exposure x JOIN task t ON t.id = x.task_id WHERE x.kind = 'late_success' AND t.status NOT IN (${unsuccessful})`,
  unknown_submission_is_exposure: `
    SELECT t.id AS subject, 'no exposure was recorded' AS detail FROM task t
    WHERE t.failure_code = 'submission_unknown' AND t.completed_at < now() - make_interval(secs => $1)
      AND NOT EXISTS (SELECT 1 FROM exposure x WHERE x.task_id = t.id AND x.kind = 'submission_unknown')`,
} as const;

const lines = {
  active_videos_are_counted: `
    SELECT account_id AS subject, format('counted %s, active %s', v.active, coalesce(t.active, 0)) AS detail
    FROM account_videos v LEFT JOIN (SELECT account_id, count(*) AS active FROM task WHERE status IN ('queued', 'running') GROUP BY account_id) t USING (account_id)
    WHERE v.active <> coalesce(t.active, 0)`,
  places_are_counted: `
    SELECT provider AS subject, format('counted %s, taken %s', coalesce(l.places_taken, 0), coalesce(t.taken, 0)) AS detail
    FROM vendor_line l FULL JOIN (SELECT provider, count(*) AS taken FROM task WHERE has_place(step, admitted_at) GROUP BY provider) t USING (provider)
    WHERE coalesce(l.places_taken, 0) <> coalesce(t.taken, 0)`,
} as const;

const assets = {
  asset_bytes_are_counted: `
    SELECT account_id AS subject, format('counted %s, stored %s', c.bytes, coalesce(a.bytes, 0)) AS detail
    FROM account_assets c LEFT JOIN (SELECT account_id, sum(size_bytes) AS bytes FROM asset WHERE state = 'ready' GROUP BY account_id) a USING (account_id)
    WHERE c.bytes <> coalesce(a.bytes, 0)`,
  live_task_has_its_assets: `
    SELECT t.id AS subject, format('%s is gone', r #>> '{source,assetId}') AS detail
    FROM task t CROSS JOIN jsonb_array_elements(t.request -> 'references') r
    WHERE t.completed_at IS NULL AND t.request -> 'references' <> '[]'::jsonb AND r #>> '{source,type}' = 'asset' AND NOT EXISTS (SELECT 1 FROM asset a WHERE a.id = r #>> '{source,assetId}')`,
} as const;

const textUsage = {
  text_is_charged_as_it_cost: `
    SELECT b.account_id AS subject, format('cost %s, charged %s, uncollected %s, remainder %s', coalesce(u.cost, 0), coalesce(e.charged, 0), coalesce(m.missing, 0), b.text_remainder_nano) AS detail
    FROM balance b
    LEFT JOIN (SELECT account_id, sum(cost_nano) AS cost FROM usage_record GROUP BY account_id) u USING (account_id)
    LEFT JOIN (SELECT account_id, sum(quota) AS charged FROM ledger_entry WHERE kind = 'charge' AND debit = 'available' GROUP BY account_id) e USING (account_id)
    LEFT JOIN (SELECT account_id, sum(quota) AS missing FROM usage_uncollected GROUP BY account_id) m USING (account_id)
    WHERE coalesce(u.cost, 0) <> (coalesce(e.charged, 0) + coalesce(m.missing, 0)) * 1000000000 + b.text_remainder_nano`,
  text_usage_has_a_balance: `
    SELECT account_id AS subject, format('%s records cost %s', count(*), sum(cost_nano)) AS detail
    FROM usage_record u WHERE NOT EXISTS (SELECT 1 FROM balance b WHERE b.account_id = u.account_id) GROUP BY account_id`,
  usage_is_taken_from_the_outbox: `SELECT id AS subject, format('waiting since %s', created_at) AS detail FROM usage_batch WHERE created_at < now() - make_interval(secs => $1)`,
  // Billing takes over what a replica left open within USAGE_LEASE_SECONDS, at most a minute.
  open_usage_has_its_replica: `
    SELECT o.replica AS subject, format('%s requests left open, last heard of %s', count(*), coalesce(max(l.renewed_at)::text, 'never')) AS detail
    FROM usage_open o LEFT JOIN usage_lease l USING (replica)
    GROUP BY o.replica HAVING coalesce(max(l.renewed_at), '-infinity') < now() - make_interval(secs => $1 + 60)`,
} as const;

/**
 * Each answers the rows that break it, as subject and detail. $1 is the grace in seconds that work
 * in flight is given.
 */
export const invariants: Readonly<Record<string, string>> = {
  ...accounts,
  ...holds,
  ...histories,
  ...lines,
  ...assets,
  ...textUsage,
};

export const invariantNames = Object.keys(invariants);
