import type { SessionRecord } from '@gateway/store';
import type { Caller } from '../use-cases/authenticate.ts';

/** A session as lists show it; what its cookie carries is nowhere in it. */
export const sessionResource = (session: SessionRecord, currentId: string | undefined) => ({
  id: session.id,
  object: 'session',
  user_agent: session.userAgent,
  current: session.id === currentId,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
});

/** The session of a request, and what its key may do. */
export const currentSessionResource = (session: SessionRecord, caller: Caller) => ({
  ...sessionResource(session, session.id),
  account_id: caller.accountId,
  key_id: caller.keyId,
  scopes: caller.scopes,
  models: caller.models.length === 0 ? null : caller.models,
  suspended: caller.isSuspended,
});

export const sessionEndedResource = (id: string) => ({
  id,
  object: 'session.deleted',
  deleted: true,
});
