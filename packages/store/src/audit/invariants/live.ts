import { isOnItsWay, liveTasks, type Invariant } from './invariant.ts';

const holds = {
  live_task_has_open_hold: {
    scope: 'live',
    sql: () => `
      SELECT t.id AS subject, format('task is %s, hold is %s', t.status, coalesce(h.state, 'missing')) AS detail
      FROM ${liveTasks} t LEFT JOIN hold h ON h.task_id = t.id WHERE h.state IS DISTINCT FROM 'open'`,
  },
  terminal_task_has_closed_hold: {
    scope: 'live',
    sql: () => `
      SELECT t.id AS subject, format('task is %s since %s', t.status, t.completed_at) AS detail
      FROM task t JOIN hold h ON h.task_id = t.id
      WHERE h.state = 'open' AND t.completed_at < now() - make_interval(secs => {grace})`,
  },
  open_hold_has_its_entry: {
    scope: 'live',
    sql: () => `
      SELECT h.task_id AS subject, format('hold %s, entries: %s', h.quota, coalesce(e.found, 'none')) AS detail
      FROM hold h LEFT JOIN LATERAL (
        SELECT count(*) AS entries, sum(quota) FILTER (WHERE kind = 'hold' AND account_id = h.account_id) AS held, string_agg(kind || ' ' || quota, ', ' ORDER BY id) AS found
        FROM ledger_entry WHERE task_id = h.task_id) e ON true
      WHERE h.state = 'open' AND (e.entries <> 1 OR e.held IS DISTINCT FROM h.quota)`,
  },
  hold_without_task: {
    scope: 'live',
    sql: () => `
      SELECT h.task_id AS subject, format('open since %s', h.created_at) AS detail FROM hold h
      WHERE h.state = 'open' AND h.created_at < now() - make_interval(secs => {grace} * 4) AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = h.task_id)`,
  },
} as const satisfies Record<string, Invariant>;

const counters = {
  active_videos_are_counted: {
    scope: 'live',
    sql: () => `
      SELECT account_id AS subject, format('counted %s, active %s', v.active, coalesce(t.active, 0)) AS detail
      FROM account_videos v LEFT JOIN (SELECT account_id, count(*) AS active FROM ${liveTasks} l WHERE is_active(status) GROUP BY account_id) t USING (account_id)
      WHERE v.active <> coalesce(t.active, 0)`,
  },
  places_are_counted: {
    scope: 'live',
    sql: () => `
      SELECT provider AS subject, format('counted %s, taken %s', coalesce(l.places_taken, 0), coalesce(t.taken, 0)) AS detail
      FROM vendor_line l FULL JOIN (SELECT provider, count(*) AS taken FROM task WHERE ${isOnItsWay} AND has_place(step, admitted_at) GROUP BY provider) t USING (provider)
      WHERE coalesce(l.places_taken, 0) <> coalesce(t.taken, 0)`,
  },
  asset_bytes_are_counted: {
    scope: 'live',
    sql: () => `
      SELECT account_id AS subject, format('counted %s and %s reserved, stored %s and %s reserved', c.bytes, c.reserved_bytes, coalesce(a.bytes, 0), coalesce(a.reserved, 0)) AS detail
      FROM account_assets c LEFT JOIN (
        SELECT account_id, sum(size_bytes) FILTER (WHERE state = 'ready') AS bytes, sum(reserved_bytes) FILTER (WHERE state = 'uploading') AS reserved
        FROM asset GROUP BY account_id) a USING (account_id)
      WHERE c.bytes <> coalesce(a.bytes, 0) OR c.reserved_bytes <> coalesce(a.reserved, 0)`,
  },
  live_task_has_its_assets: {
    scope: 'live',
    sql: () => `
      SELECT t.id AS subject, format('%s is gone', r #>> '{source,assetId}') AS detail
      FROM task t CROSS JOIN jsonb_array_elements(t.request -> 'references') r
      WHERE t.completed_at IS NULL AND t.request -> 'references' <> '[]'::jsonb AND r #>> '{source,type}' = 'asset' AND NOT EXISTS (SELECT 1 FROM asset a WHERE a.id = r #>> '{source,assetId}')`,
  },
  live_task_has_its_source_videos: {
    scope: 'live',
    sql: () => `
      SELECT t.id AS subject, format('%s of %s is gone', r #>> '{source,variant}', r #>> '{source,taskId}') AS detail
      FROM task t CROSS JOIN jsonb_array_elements(t.request -> 'references') r
      WHERE t.completed_at IS NULL AND t.request -> 'references' <> '[]'::jsonb AND r #>> '{source,type}' = 'task'
        AND NOT EXISTS (SELECT 1 FROM media m WHERE m.task_id = r #>> '{source,taskId}' AND m.variant = r #>> '{source,variant}' AND m.removed_at IS NULL)`,
  },
} as const satisfies Record<string, Invariant>;

const textUsage = {
  // The same time for leases, and one sweep more.
  lease_has_its_replica: {
    scope: 'live',
    sql: () => `
      SELECT l.replica AS subject, format('%s leases hold %s, last heard of %s', count(*), sum(l.held_quota), coalesce(max(u.renewed_at)::text, 'never')) AS detail
      FROM text_lease l LEFT JOIN usage_lease u USING (replica) WHERE l.state = 'open'
      GROUP BY l.replica HAVING coalesce(max(u.renewed_at), '-infinity') < now() - make_interval(secs => {grace} + 60)`,
  },
  usage_is_taken_from_the_outbox: {
    scope: 'live',
    sql: () =>
      `SELECT id AS subject, format('waiting since %s', created_at) AS detail FROM usage_batch WHERE created_at < now() - make_interval(secs => {grace})`,
  },
  // Billing takes over what a replica left open within USAGE_LEASE_SECONDS, at most a minute.
  open_usage_has_its_replica: {
    scope: 'live',
    sql: () => `
      SELECT o.replica AS subject, format('%s requests left open, last heard of %s', count(*), coalesce(max(l.renewed_at)::text, 'never')) AS detail
      FROM usage_open o LEFT JOIN usage_lease l USING (replica)
      GROUP BY o.replica HAVING coalesce(max(l.renewed_at), '-infinity') < now() - make_interval(secs => {grace} + 60)`,
  },
} as const satisfies Record<string, Invariant>;

export const liveInvariants = { ...holds, ...counters, ...textUsage } as const;
