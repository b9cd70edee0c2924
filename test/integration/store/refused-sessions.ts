const session = (hash: string, lastUsed: string, expires: string): string =>
  `INSERT INTO session (id, owner, hash, created_at, last_used_at, expires_at)
   VALUES ('s', 'o', ${hash}, now(), now() + interval '${lastUsed}', now() + interval '${expires}')`;
const sha256 = `sha256('s')`;

/** What the database refuses of a session: the constraint, the status of `$task`, the statement. */
export const refusedSessions = [
  ['session_hash_is_sha256', 'queued', session(`'\\x00'`, '0', '1 hour')],
  ['session_times', 'queued', session(sha256, '0', '0')],
  ['session_times', 'queued', session(sha256, '-1 hour', '1 hour')],
] as const;
