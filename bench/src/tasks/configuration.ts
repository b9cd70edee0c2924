import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface FakeProvider {
  readonly baseUrl: string;
  readonly requestsPerSecond: number;
  readonly pollSeconds: { readonly first: number; readonly max: number };
}

export const provider = 'bench';
export const model = 'bench-video';
export const upstreamModel = 'bench';

/** gateway.yaml with one video vendor; JSON is YAML. */
export const configurationFor = ({
  baseUrl,
  requestsPerSecond,
  pollSeconds,
}: FakeProvider): string =>
  JSON.stringify(
    {
      providers: {
        [provider]: {
          kind: 'ark',
          base_url: baseUrl,
          api_key: '${SANDBOX_API_KEY}',
          max_concurrent: 1_000_000,
          requests_per_second: requestsPerSecond,
          poll_seconds: pollSeconds,
        },
      },
      models: {
        [model]: {
          kind: 'video',
          provider,
          upstream_model: upstreamModel,
          second_quota: 1,
          duration: { min: 4, max: 15, default: 5 },
          ratio: { allowed: ['16:9'], default: '16:9' },
          resolution: { allowed: ['480p'], default: '480p' },
          expires_after_seconds: 86_400,
          retention_days: 1,
        },
      },
    },
    undefined,
    2,
  );

const plenty = 10_000_000;

/** The gateway.yaml of the checkout, with limits of keys and accounts that no load here reaches. */
export async function usualConfiguration(): Promise<string> {
  const text = await readFile(
    path.resolve(import.meta.dirname, '../../../config/gateway.yaml'),
    'utf8',
  );
  return [/requests_per_minute: \d+/, /concurrent_requests: \d+/, /active_videos: \d+/].reduce(
    (changed, setting) => {
      if (!setting.test(changed)) throw new Error(`config/gateway.yaml has no ${setting.source}`);
      return changed.replace(setting, (found) => found.replace(/\d+/, String(plenty)));
    },
    text,
  );
}
