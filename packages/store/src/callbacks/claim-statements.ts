// SQL by hand: claims, which are fences, on the database's clock.
import type { PushTables } from './push-tables.ts';

const snapshotColumns = ({ push, key }: PushTables): string => `
    target.url AS push_url, target.endpoint_id,
    (SELECT coalesce(json_agg(json_build_object('sequence', p.sequence, 'status', p.status, 'attempts', p.attempts) ORDER BY p.sequence), '[]')
     FROM ${push} p WHERE p.${key} = $1 AND p.state = 'pending') AS pending_pushes,
    ARRAY(SELECT s.secret FROM callback_secret s WHERE s.account_id = t.account_id AND (s.expires_at IS NULL OR s.expires_at > now()) ORDER BY s.id DESC) AS signing_secrets`;

/**
 * One round trip for the claim and all that is read under it. A statement that waited for the
 * callback's row shows everything else as it was before the wait. Then the row it locked is not the
 * version its snapshot showed: `is_current` says so, and the rest is read again. Every claimant
 * writes the callback in the same transaction as its pushes, so nothing of theirs is missed.
 */
const claimSql = (tables: PushTables): string => `
  WITH free AS (
    SELECT ${tables.key}, xmin AS version FROM ${tables.callback}
    WHERE ${tables.key} = $1 AND (claim_token IS NULL OR claim_token = $2 OR claimed_until <= now()) FOR UPDATE),
  claimed AS (
    UPDATE ${tables.callback} c SET claim_token = $2, claimed_until = now() + make_interval(secs => $3), waiting_for = NULL,
      challenge = CASE WHEN c.state = 'unverified' THEN coalesce(c.challenge, $4) END
    FROM free WHERE c.${tables.key} = free.${tables.key}
    RETURNING c.task_id, c.state, c.failures, c.challenge, ceil(extract(epoch FROM c.due_at - now()) * 1000)::int AS due_in_ms,
      c.manual_at IS NOT NULL AS manual, coalesce(extract(epoch FROM now() - c.waiting_since) * 1000, 0)::float8 AS held_back_ms, free.version)
  SELECT t.*, claimed.state, claimed.failures, claimed.challenge, claimed.due_in_ms, claimed.manual, claimed.held_back_ms,
    EXISTS (SELECT 1 FROM ${tables.callback} c WHERE c.${tables.key} = $1 AND c.xmin = claimed.version) AS is_current,${snapshotColumns(tables)}
  FROM claimed LEFT JOIN task t ON t.id = claimed.task_id AND t.deleted_at IS NULL ${tables.target}`;

const snapshotSql = (tables: PushTables): string => `
  SELECT t.*,${snapshotColumns(tables)}
  FROM ${tables.callback} c JOIN task t ON t.id = c.task_id AND t.deleted_at IS NULL ${tables.target} WHERE c.${tables.key} = $1`;

/** A time that has passed says no more than none. */
const released = `claim_token = NULL, claimed_until = NULL, due_at = CASE WHEN due_at > now() THEN due_at END`;

/**
 * What has been settled as far as this statement can see. A push that it cannot see is newer, and
 * has raised the row's own newest sequence.
 */
const newestSeenSql = ({ push, key }: PushTables): string =>
  `coalesce((SELECT max(p.sequence) FROM ${push} p WHERE p.${key} = c.${key}), settled_sequence)`;
const settledSql = ({ push, key }: PushTables): string => `coalesce(
  (SELECT coalesce(min(p.sequence) FILTER (WHERE p.state = 'pending') - 1, max(p.sequence)) FROM ${push} p WHERE p.${key} = c.${key}), settled_sequence)`;

const releaseSql = (tables: PushTables): string => `
  UPDATE ${tables.callback} c SET ${released}, settled_sequence = ${settledSql(tables)} WHERE ${tables.key} = $1 AND claim_token = $2`;

const deferSql = ({ callback, key }: PushTables): string => `
  UPDATE ${callback} SET claim_token = NULL, claimed_until = NULL, due_at = NULL, waiting_for = $3, waiting_since = coalesce(waiting_since, now())
  WHERE ${key} = $1 AND claim_token = $2`;

const stopPendingSql = (tables: PushTables): string => `
  WITH mine AS (
    UPDATE ${tables.callback} c SET ${released}, settled_sequence = CASE WHEN state = 'stopped' THEN ${newestSeenSql(tables)} ELSE settled_sequence END
    WHERE ${tables.key} = $1 AND claim_token = $2 RETURNING ${tables.key}, state)
  ${pendingStopped(tables, "AND mine.state = 'stopped'")}`;

const abandonSql = (tables: PushTables): string => `
  WITH mine AS (
    UPDATE ${tables.callback} c SET claim_token = NULL, claimed_until = NULL, due_at = NULL, manual_at = NULL, waiting_since = NULL,
      state = 'stopped', stop_reason = 'disabled', settled_sequence = ${newestSeenSql(tables)}
    WHERE ${tables.key} = $1 AND claim_token = $2 RETURNING ${tables.key})
  ${pendingStopped(tables)}`;

const pendingStopped = ({ push, key }: PushTables, only = ''): string =>
  `UPDATE ${push} p SET state = 'stopped', settled_at = now() FROM mine WHERE p.${key} = mine.${key} ${only} AND p.state = 'pending'`;

/** The statements of claims, for these tables. */
export const claimStatements = (tables: PushTables) => ({
  claim: claimSql(tables),
  snapshot: snapshotSql(tables),
  release: releaseSql(tables),
  defer: deferSql(tables),
  stopPending: stopPendingSql(tables),
  abandon: abandonSql(tables),
});

export type ClaimStatements = ReturnType<typeof claimStatements>;
