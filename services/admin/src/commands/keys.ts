import type { AdminRequestReader } from '@gateway/contracts';
import { createAdministration, hashOfKey, keyScopes } from '@gateway/store';
import { required, UsageError, type Command } from '../command.ts';
import { givenOf, listIn, numberIn, readRequest } from '../requests.ts';
import { knownAccount } from './accounts.ts';

export const keyCreate: Command = {
  help: 'Create an API key, which is shown only once',
  example: 'key create --account acct_… --name production --models sandbox-video',
  options: {
    account: { required: true, help: 'account id' },
    name: { required: true, help: 'name of the key' },
    scopes: {
      required: false,
      help: `comma-separated, from ${keyScopes.join(', ')} (default: all but secrets:read and keys:write)`,
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
      help: 'when it expires: a day such as 2027-01-31, which means its first moment in UTC, or an ISO 8601 time with its zone (default: never)',
    },
  },
  async run(values, ports) {
    const key = keyIn(values);
    const accountId = await knownAccount(values, ports.accounts);
    const { name, scopes, expiresAt } = key;
    const { id, apiKey } = await createAdministration(ports).makeKey({ accountId, ...key });
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

export const keyChange: Command = {
  help: 'Change the name, scopes, models or rate of an API key, within five seconds',
  example: 'key change --id key_… --requests-per-minute 600',
  options: {
    id: { required: true, help: 'key id' },
    name: { required: false, help: 'its new name' },
    scopes: { required: false, help: `comma-separated, from ${keyScopes.join(', ')}` },
    models: {
      required: false,
      help: 'comma-separated models that it may use; all for every model',
    },
    'requests-per-minute': {
      required: false,
      help: 'requests per minute, or default for limits.default_key',
    },
  },
  async run(values, { actions }) {
    const { models, 'requests-per-minute': perMinute } = values;
    const changes = readRequest((reader) =>
      reader.keyPatch(
        givenOf({
          name: values['name'],
          scopes: listIn(values['scopes']),
          models: models === 'all' ? null : listIn(models),
          requests_per_minute: perMinute === 'default' ? null : numberIn(perMinute),
        }),
      ),
    );
    const id = required(values, 'id');
    if (!(await actions.changeKey(id, changes))) {
      throw new UsageError(`key ${id} does not exist, or is revoked`);
    }
    return { ok: true, lines: [`key ${id} is changed`], data: { id, ...changes } };
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

/** The key that the options describe, by the rules of `POST /admin/v1/accounts/{id}/keys`. */
const keyIn = (
  values: Readonly<Record<string, string | undefined>>,
): ReturnType<AdminRequestReader['key']> =>
  readRequest((reader) =>
    reader.key(
      givenOf({
        name: values['name'],
        scopes: listIn(values['scopes']),
        models: listIn(values['models']),
        expires_at: values['expires-at']?.replace(/^\d{4}-\d\d-\d\d$/, '$&T00:00:00Z'),
        requests_per_minute: numberIn(values['requests-per-minute']),
      }),
    ),
  );
