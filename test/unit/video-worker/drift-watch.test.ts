import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@gateway/runtime';
import { recordingLog } from '@gateway/testing';
import { createDriftWatch } from '../../../services/video-worker/src/adapters/drift-watch.ts';

function aWatch() {
  const metrics = createMetrics('test');
  const log = recordingLog();
  const watch = createDriftWatch({ metrics, log, now: () => 1_769_817_600_000 });
  const count = async (kind: string): Promise<string | undefined> =>
    new RegExp(`gateway_vendor_drift_total\\{[^}]*kind="${kind}"[^}]*\\} (\\d+)`).exec(
      await metrics.metrics(),
    )?.[1];
  const shown = async (): Promise<string[]> =>
    (await metrics.metrics())
      .split('\n')
      .filter((line) => line.startsWith('gateway_vendor_drift_first_seen_timestamp_seconds{'));
  return { watch, log, count, shown };
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

  it('shows the first of each with its time, so that an operator sees what it was', async () => {
    const { watch, shown } = aWatch();
    for (let number = 0; number < 1_000; number += 1) {
      watch.seen('studio', { kind: 'error_code', example: `E${number % 40}` });
    }

    const lines = await shown();

    expect(lines).toHaveLength(20);
    expect(lines[0]).toMatch(/\{provider="studio",kind="error_code",example="E0".*\} 1769817600$/);
  });

  it('counts and logs a new field, and shows no name of it', async () => {
    const { watch, log, count, shown } = aWatch();
    watch.seen('studio', { kind: 'field', example: 'brand_new' });

    expect(await count('field')).toBe('1');
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { provider: 'studio', kind: 'field', example: 'brand_new' },
    ]);
    expect(await shown()).toEqual([]);
  });
});
