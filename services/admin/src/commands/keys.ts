import { createAdministration, hashOfKey, keyScopes, usualKeyScopes } from '@gateway/store';
import { required, UsageError, type Command } from '../command.ts';
import { knownAccount } from './accounts.ts';

const allScopes: readonly string[] = keyScopes;
const mostRequestsPerMinute = 1_000_000;

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export const keyCreate: Command = {
  help: 'Create an API key, which is shown only once',
  example: 'key create --account acct_… --name production --models sandbox-video',
  options: {
    account: { required: true, help: 'account id' },
    name: { required: true, help: 'name of the key' },
    scopes: {
      required: false,
      help: `comma-separated, from ${allScopes.join(', ')} (default: all but secrets:read)`,
    },
    models: {
      required: false,
      help: 'comma-separated models that it may use (default: every model)',
    },
    'requests-per-minute': {
      required: false,
      help: 'requests per minute, videos and text together (default: limits.default_key)',
    },
    'expires-at': {
      required: false,
      help: 'when it expires, as an ISO 8601 time (default: never)',
    },
  },
  async run(values, ports) {
    const accountId = await knownAccount(values, ports.accounts);
    const name = required(values, 'name');
    const scopes: readonly string[] =
      values['scopes'] === undefined ? usualKeyScopes : listOf(values['scopes']);
    const unknown = scopes.filter((scope) => !allScopes.includes(scope));
    if (unknown.length > 0 || scopes.length === 0) {
      throw new UsageError(
        `--scopes must be some of ${allScopes.join(', ')}; got ${JSON.stringify(values['scopes'])}`,
      );
    }
    const models = listOf(values['models']);
    if (values['models'] !== undefined && models.length === 0) {
      throw new UsageError(
        '--models must name at least one model; leave it out to allow every model',
      );
    }
    const expiresAt = expiryOf(values['expires-at']);
    const { id, apiKey } = await createAdministration(ports).makeKey({
      accountId,
      name,
      scopes,
      models,
      expiresAt,
      requestsPerMinute: rateOf(values['requests-per-minute']),
    });
    return {
      ok: true,
      lines: [`key ${id} created for ${accountId}`, `API key (shown only once): ${apiKey}`],
      data: {
        id,
        account_id: accountId,
        name,
        scopes,
        expires_at: expiresAt?.toISOString() ?? null,
        api_key: apiKey,
      },
    };
  },
};

export const keyRevoke: Command = {
  help: 'Revoke an API key, which stops working within five seconds',
  example: 'key revoke --id key_…',
  options: { id: { required: true, help: 'key id' } },
  async run(values, { accounts }) {
    const id = required(values, 'id');
    if (!(await accounts.revokeKey(id))) throw new UsageError(`key ${id} does not exist`);
    return { ok: true, lines: [`key ${id} is revoked`], data: { id, revoked: true } };
  },
};

export const keyCheck: Command = {
  help: 'Check whether an API key is valid; exit code 1 if not',
  example: 'key check --key sk-gw-…',
  options: { key: { required: true, help: 'the API key itself' } },
  async run(values, { accounts }) {
    const key = await accounts.findKeyByHash(hashOfKey(required(values, 'key')));
    const expired = key?.expiresAt != null && key.expiresAt <= new Date();
    const ok = key !== undefined && key.revokedAt === null && !expired;
    const reason =
      key === undefined
        ? 'not known'
        : key.revokedAt !== null
          ? 'revoked'
          : expired
            ? 'expired'
            : 'good';
    return {
      ok,
      lines: [`the key is ${reason}`],
      data: {
        ok,
        reason,
        ...(key && { id: key.id, account_id: key.accountId, scopes: key.scopes }),
      },
    };
  },
};

function expiryOf(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) {
    throw new UsageError(`--expires-at must be an ISO 8601 time; got ${JSON.stringify(text)}`);
  }
  return at;
}

function rateOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > mostRequestsPerMinute) {
    throw new UsageError(
      `--requests-per-minute must be a whole number between 1 and ${mostRequestsPerMinute}; got ${JSON.stringify(text)}`,
    );
  }
  return Number(text);
}
