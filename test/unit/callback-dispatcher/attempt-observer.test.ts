import { describe, expect, it } from '@jest/globals';
import { stopReasons } from '@gateway/domain';
import { createMetrics } from '@gateway/runtime';
import { recordingLog } from '@gateway/testing';
import { createAttemptObserver } from '../../../services/callback-dispatcher/src/adapters/attempt-observer.ts';

describe('the counters of attempts', () => {
  it('show every reason to stop before the first one, which an alert would not see otherwise', async () => {
    const metrics = createMetrics('callback-dispatcher');
    createAttemptObserver(recordingLog(), metrics);

    const lines = (await metrics.metrics())
      .split('\n')
      .filter((line) => line.startsWith('gateway_callbacks_stopped_total{'));

    expect(lines.map((line) => /reason="(\w+)".* 0$/.exec(line)?.[1]).sort()).toEqual(
      [...stopReasons].sort(),
    );
  });
});
