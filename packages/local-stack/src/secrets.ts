import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateJson } from './private-file.ts';

export interface DemoAccount {
  readonly account_id: string;
  readonly key_id: string;
  readonly api_key: string;
  readonly callback_secret: string;
}

export interface Secrets {
  readonly admin_token: string;
  readonly service_token: string;
  /** `k1:<base64 of 32 bytes>` */
  readonly media_token_keys: string;
  /** `local:<base64 of 32 bytes>` */
  readonly callback_secret_keys: string;
  readonly receipt_keys: string;
  readonly sandbox_api_key: string;
  /** The passwords of the database roles follow from it. */
  readonly database_secret: string;
  readonly demo?: DemoAccount;
}

const token = (prefix: string): string => `${prefix}-${randomBytes(24).toString('base64url')}`;

/** The secrets of one data folder: made once, kept in `secrets.json`, never overwritten. */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>) : {};
  const secrets: Secrets = {
    admin_token: token('admin'),
    service_token: token('service'),
    media_token_keys: `k1:${randomBytes(32).toString('base64')}`,
    callback_secret_keys: `local:${randomBytes(32).toString('base64')}`,
    receipt_keys: `local:${randomBytes(32).toString('base64')}`,
    sandbox_api_key: token('sandbox'),
    database_secret: token('database'),
    ...kept,
  };
  saveSecrets(dataDir, secrets);
  return secrets;
}

export function saveSecrets(dataDir: string, secrets: Secrets): void {
  mkdirSync(dataDir, { recursive: true });
  writePrivateJson(join(dataDir, 'secrets.json'), secrets);
}
