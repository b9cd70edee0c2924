import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@gateway/runtime';
import { recordingLog } from '@gateway/testing';
import { createDriftWatch } from '../../../services/video-worker/src/adapters/drift-watch.ts';

function aWatch() {
  const metrics = createMetrics('test');
  const log = recordingLog();
  const watch = createDriftWatch({ metrics, log });
  const count = async (kind: string): Promise<string | undefined> =>
    new RegExp(`gateway_vendor_drift_total\\{[^}]*kind="${kind}"[^}]*\\} (\\d+)`).exec(
      await metrics.metrics(),
    )?.[1];
  return { watch, log, count };
}

describe('the watch over what vendors change', () => {
  it('counts each, by kind, from 0 on', async () => {
    const { watch, count } = aWatch();
    watch.expect('studio');
    expect(await count('status')).toBe('0');

    watch.seen('studio', { kind: 'status', example: 'dreaming' });
    watch.seen('studio', { kind: 'status', example: 'dreaming' });

    expect(await count('status')).toBe('2');
    expect(await count('error_code')).toBe('0');
  });

  it('logs the first of each once for each vendor, and not without end', () => {
    const { watch, log } = aWatch();
    for (let time = 0; time < 3; time += 1) {
      watch.seen('studio', { kind: 'status', example: 'dreaming' });
      watch.seen('another', { kind: 'status', example: 'dreaming' });
    }
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { provider: 'studio', kind: 'status', example: 'dreaming' },
      { provider: 'another', kind: 'status', example: 'dreaming' },
    ]);

    for (let number = 0; number < 1_000; number += 1) {
      watch.seen('studio', { kind: 'error_code', example: String(number) });
    }

    expect(log.lines.length).toBeLessThan(50);
  });
});
