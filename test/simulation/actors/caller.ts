import type { Caller } from '../../../services/api/src/use-cases/authenticate.ts';

/** The one key of an account. */
export const callerOf = (accountId: string): Caller => ({
  keyId: 'key_simulated',
  accountId,
  scopes: [],
  models: [],
  requestsPerMinute: null,
  isSuspended: false,
  activeVideosLimit: null,
  expiresAt: null,
});
