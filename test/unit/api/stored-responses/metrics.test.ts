import { expect, it } from '@jest/globals';
import { createMetrics } from '@gateway/runtime';
import { createStoredResponseMetrics } from '../../../../services/api/src/adapters/stored-responses/metrics.ts';

it('what becomes of responses is counted from nothing on, so that an alert sees the first', async () => {
  const metrics = createMetrics('api');
  createStoredResponseMetrics(metrics, () => 0);

  const counted = [
    ...(await metrics.metrics()).matchAll(
      /^gateway_stored_responses_total\{outcome="(\w+)".* 0$/gm,
    ),
  ].map(([, outcome]) => outcome);

  expect(counted.sort()).toEqual(['account_rate', 'failed', 'kept', 'queue_full', 'too_large']);
});
