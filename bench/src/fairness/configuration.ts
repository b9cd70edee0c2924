export const textModel = 'fair-text';
const plenty = 10_000_000;

/**
 * gateway.yaml with one text model and one video model; JSON is YAML. No limit on the requests of a
 * key: what protects the others must not depend on it.
 */
export const configurationFor = (upstreamUrl: string): string =>
  JSON.stringify(
    {
      providers: {
        messages: { kind: 'messages', base_url: upstreamUrl, api_key: '${SANDBOX_API_KEY}' },
        sandbox: {
          kind: 'ark',
          base_url: '${SANDBOX_URL}/api/v3',
          api_key: '${SANDBOX_API_KEY}',
          max_concurrent: 50,
          requests_per_second: 200,
          poll_seconds: { first: 0.25, max: 2 },
        },
      },
      models: {
        [textModel]: {
          kind: 'text',
          token_quota: { input: 3, output: 15, per: 1_000 },
          routes: [{ provider: 'messages', model: textModel }],
        },
        'fair-video': {
          kind: 'video',
          provider: 'sandbox',
          upstream_model: 'sandbox-video',
          second_quota: 1,
          duration: { min: 4, max: 15, default: 5 },
          ratio: { allowed: ['16:9'], default: '16:9' },
          resolution: { allowed: ['480p'], default: '480p' },
          expires_after_seconds: 3_600,
          retention_days: 1,
        },
      },
      limits: { default_key: { requests_per_minute: plenty, concurrent_requests: 100 } },
    },
    undefined,
    2,
  );
