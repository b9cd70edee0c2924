import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@gateway/runtime';
import { createTextMetrics } from '../../../../services/api/src/text/record/metrics.ts';
import { aUsageRecord } from '../../../integration/store/usage.ts';

type Usage = Parameters<ReturnType<typeof createTextMetrics>>[0];

/** The samples of one metric after these requests, without the labels that are the same for all. */
async function samplesOf(name: string, usages: readonly Partial<Usage>[]): Promise<string[]> {
  const metrics = createMetrics('api');
  const measure = createTextMetrics(metrics);
  for (const usage of usages) {
    measure({
      ...aUsageRecord('acct_x', { id: 'usage_x' }),
      provider: 'vendor',
      model: 'clever',
      ...usage,
    });
  }
  return (await metrics.metrics())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) =>
      line
        .slice(name.length)
        .replace(
          'gen_ai_operation_name="chat",gen_ai_provider_name="vendor",gen_ai_request_model="clever"',
          '',
        )
        .replace(',service="api"', '')
        .replace('{,', '{'),
    )
    .sort();
}

const duration = 'gen_ai_client_operation_duration_seconds_count';

describe('the measures of text', () => {
  it.each<[string, Partial<Usage>, string]>([
    ['a success', { outcome: 'succeeded', status: 200 }, ''],
    ['a refusal', { outcome: 'failed', status: 429 }, '429'],
    ['a stream that broke off', { outcome: 'failed', status: 200 }, 'broken'],
    ['a client that left', { outcome: 'aborted', status: 200 }, 'aborted'],
  ])('tell %s apart', async (_what, usage, errorType) => {
    expect(await samplesOf(duration, [usage, usage])).toEqual([`{error_type="${errorType}"} 2`]);
  });

  it('keep models and vendors apart', async () => {
    const outcome = { outcome: 'succeeded', status: 200 } as const;

    expect(
      await samplesOf(duration, [
        outcome,
        { ...outcome, model: 'cheap' },
        { ...outcome, provider: 'other' },
        outcome,
      ]),
    ).toHaveLength(3);
  });

  it('count what was read from and written to a cache as input, and no tokens where there were none', async () => {
    const sums = await samplesOf('gen_ai_client_token_usage_sum', [
      { input_tokens: 100, cached_input_tokens: 20, cache_write_tokens: 3, output_tokens: 50 },
    ]);
    const none = await samplesOf('gen_ai_client_token_usage_count', [
      { input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, output_tokens: 0 },
    ]);

    expect(sums).toEqual(['{gen_ai_token_type="input"} 123', '{gen_ai_token_type="output"} 50']);
    expect(none).toEqual(['{gen_ai_token_type="input"} 0', '{gen_ai_token_type="output"} 0']);
  });

  it('time the first byte of streams only, and the whole in seconds', async () => {
    const usages = [
      { stream: true, first_byte_ms: 250, duration_ms: 2_000 },
      { stream: false, first_byte_ms: 900, duration_ms: 1_000 },
      { stream: true, first_byte_ms: null, duration_ms: 500 },
    ];

    expect(
      await samplesOf('gen_ai_client_operation_time_to_first_chunk_seconds_sum', usages),
    ).toEqual([expect.stringMatching(/ 0\.25$/)]);
    expect(await samplesOf('gen_ai_client_operation_duration_seconds_sum', usages)).toEqual([
      expect.stringMatching(/ 3\.5$/),
    ]);
  });
});
