import { SettingsError } from './settings.ts';

/** Where a primary is asked for by its name, in the words of the client. */
export interface Sentinels {
  readonly sentinels: { readonly host: string; readonly port: number }[];
  readonly name: string;
  /** In ms: one that accepts and says nothing is not waited for, the next one is asked. */
  readonly sentinelCommandTimeout: number;
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly db?: number;
  readonly tls?: Record<string, never>;
  readonly enableTLSForSentinelMode?: boolean;
  readonly sentinelTLS?: Record<string, never>;
}

const form =
  /^(?<scheme>rediss?)\+sentinel:\/\/(?:(?<username>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]+)\/(?<name>[^/?]+)(?:\/(?<db>\d+))?(?:\?(?<query>.*))?$/;
const hostForm = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const usualPort = 26_379;

/**
 * The sentinels that REDIS_URL names, as
 * `redis+sentinel://user:password@host:port,host:port/name/database`; undefined for the address of
 * one Redis. With `rediss` both are spoken to over TLS. Sentinels that ask for a password have it as
 * `sentinel_password`, with `sentinel_username`, in the query.
 */
export function readSentinels(redisUrl: string): Sentinels | undefined {
  if (!/^rediss?\+sentinel:/.test(redisUrl)) return undefined;
  const parts = form.exec(redisUrl)?.groups;
  const hosts = (parts?.['hosts'] ?? '').split(',').map(readHost);
  if (parts === undefined || !hosts.every((host) => host !== undefined)) {
    throw new SettingsError(
      'Settings that keep this service from starting:\n  REDIS_URL names sentinels as redis+sentinel://user:password@host:port,host:port/name-of-the-primary',
    );
  }
  return {
    sentinels: hosts,
    name: decodeURIComponent(parts['name'] ?? ''),
    sentinelCommandTimeout: 2_000,
    ...credentialsIn(parts),
    ...(parts['db'] !== undefined && { db: Number(parts['db']) }),
    ...(parts['scheme'] === 'rediss' && encrypted),
  };
}

const encrypted = { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} } as const;

function credentialsIn(parts: Readonly<Record<string, string | undefined>>) {
  const query = new URLSearchParams(parts['query'] ?? '');
  return {
    ...given('username', decoded(parts['username'])),
    ...given('password', decoded(parts['password'])),
    ...given('sentinelUsername', query.get('sentinel_username')),
    ...given('sentinelPassword', query.get('sentinel_password')),
  };
}

function readHost(text: string): { host: string; port: number } | undefined {
  const [, host, port] = hostForm.exec(text) ?? [];
  if (host === undefined) return undefined;
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? usualPort : Number(port),
  };
}

const decoded = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : decodeURIComponent(text);

const given = <Name extends string>(
  name: Name,
  value: string | null | undefined,
): Partial<Record<Name, string>> =>
  value ? ({ [name]: value } as Partial<Record<Name, string>>) : {};
