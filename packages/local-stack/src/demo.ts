import type { CommandResult } from './run-command.ts';
import { LocalStackError } from './local-stack-error.ts';
import type { DemoAccount } from './secrets.ts';

/**
 * What `demo.json` says, for people and scripts; written when everything is ready, removed at stop.
 */
export interface DemoFile {
  readonly base_url: string;
  readonly console_url: string;
  readonly api_key: string;
  readonly admin_token: string;
  readonly callback_secret: string;
  readonly sandbox_url: string;
  readonly billing_url: string;
  /** By service: where `/livez`, `/readyz` and `/metrics` are. */
  readonly ops_urls: Readonly<Record<string, string>>;
  /** Absolute path of the gateway.yaml in use. */
  readonly config_file: string;
  /** As the migrator, or the one that was given. */
  readonly database_url: string;
  /** For `npm run admin`. */
  readonly admin_database_url: string;
  readonly redis_url: string;
}

export type RunAdmin = (args: readonly string[]) => Promise<CommandResult>;

const demoQuota = 1_000_000;

/**
 * The demo account and its key: the one from an earlier start when the database still knows it,
 * else a new one.
 */
export async function ensureDemoAccount(
  kept: DemoAccount | undefined,
  admin: RunAdmin,
): Promise<DemoAccount> {
  if (kept !== undefined) {
    const { exitCode } = await admin(['key', 'check', '--key', kept.api_key, '--json']);
    if (exitCode === 0) return kept;
  }
  const account = await ask<{ id: string; callback_secret: string }>(admin, [
    'account',
    'create',
    '--name',
    'Demo',
    '--quota',
    String(demoQuota),
    '--json',
  ]);
  const key = await ask<{ id: string; api_key: string }>(admin, [
    'key',
    'create',
    '--account',
    account.id,
    '--name',
    'demo',
    '--scopes',
    'videos:write,videos:read,text,billing:read,secrets:read',
    '--json',
  ]);
  return {
    account_id: account.id,
    key_id: key.id,
    api_key: key.api_key,
    callback_secret: account.callback_secret,
  };
}

async function ask<T>(admin: RunAdmin, args: readonly string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await admin(args);
  if (exitCode !== 0) {
    throw new LocalStackError(
      'command_failed',
      `Creating the demo account failed (admin ${args.slice(0, 2).join(' ')}, exit code ${exitCode}): ${stderr.trim()}`,
    );
  }
  return JSON.parse(stdout) as T;
}
