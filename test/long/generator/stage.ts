import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseTokenKeys, signMediaToken } from '@gateway/media';
import { startSandboxVendor } from '@gateway/sandbox-vendor';
import { aQueuedTask } from '@gateway/testing';
import { fileOf, formOf, png, send } from '../../component/api/asset-files.ts';
import { openProcessStage, type ProcessStage } from '../../component/api/api-process.ts';
import { aFinishedTask } from '../../component/api/finished-task.ts';

const adminToken = 'admin-token-for-tests';
const scopes = ['videos:write', 'videos:read', 'text', 'billing:read', 'secrets:read'];

/** What a generator of requests has to know, so that not everything is refused at the door. */
export interface Known {
  readonly apiKey: string;
  readonly weakKey: string;
  readonly adminToken: string;
  readonly mediaToken: string;
  readonly assetId: string;
  readonly taskIds: readonly string[];
  readonly finishedId: string;
  /** A key and an account that may be revoked and suspended on the way. */
  readonly spareKeyId: string;
  readonly spareAccountId: string;
}

export interface GeneratedStage extends ProcessStage {
  readonly known: Known;
}

/** The api as a process with its usual models, and the sandbox vendor behind it. */
export async function openGeneratedStage(): Promise<GeneratedStage> {
  const vendor = await startSandboxVendor();
  const stage = await openProcessStage({
    yaml: configuration(),
    leaseSeconds: 30,
    environment: {
      SANDBOX_URL: vendor.url,
      SANDBOX_API_KEY: vendor.apiKey,
      ADMIN_TOKEN: adminToken,
      LOG_LEVEL: 'info',
      OUTCOME_WAIT_MS: '50',
      EVENT_STREAM_PING_MS: '1000',
    },
  });
  return {
    ...stage,
    known: await whatThereIs(stage),
    async close() {
      await stage.close();
      await vendor.stop();
    },
  };
}

/** The usual one, whose limits would refuse nearly all of thousands of requests a minute. */
const configuration = (): string =>
  readFileSync(path.resolve(import.meta.dirname, '../../../config/gateway.yaml'), 'utf8')
    .replace(/requests_per_minute: \d+/, 'requests_per_minute: 100000000')
    .replace(/active_videos: \d+/, 'active_videos: 1000000');

async function whatThereIs(stage: ProcessStage): Promise<Known> {
  const { apiKey, accountId } = await stage.aKey(1_000_000_000, scopes);
  const { apiKey: weakKey } = await stage.aKey(10, ['videos:read']);
  const spare = await stage.aKey(1_000, scopes);
  const task = await aQueuedTask(stage.database, accountId, {
    callbackUrl: 'https://receiver.example/hook',
  });
  const { body: asset } = await send(`${stage.url}/v1/assets`, {
    apiKey,
    method: 'POST',
    body: formOf({ file: fileOf(png) }),
  });
  const finishedId = await aFinishedTask(stage, accountId, {
    content: Buffer.from('a video'),
    lastFrame: Buffer.from('a frame'),
    poster: Buffer.from('a poster'),
  });
  return {
    apiKey,
    weakKey,
    adminToken,
    finishedId,
    assetId: asset.id,
    taskIds: [task.id, finishedId],
    spareKeyId: spare.keyId,
    spareAccountId: spare.accountId,
    mediaToken: signMediaToken({
      keys: parseTokenKeys(`k1:${Buffer.alloc(32, 7).toString('base64')}`),
      variant: 'content',
      videoId: finishedId,
      now: new Date(),
      ttlSeconds: 86_400,
      bucketSeconds: 900,
    }),
  };
}
