import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Configuration } from '@gateway/contracts';
import { createTaskTries } from '@gateway/store';
import { eventually, fixedConfiguration } from '@gateway/testing';
import { startScriptedVendor, type ScriptedVendor } from '../../contracts/scripted-vendor.ts';
import { arkScript } from '../../integration/video-providers/ark-script.ts';
import { configurationFor, openWorker, type WorkerUnderTest } from './harness.ts';

/** Fewer than failures open a breaker. */
const atOnce = 2;
/** Go elsewhere; one more may stay to find out whether the vendor serves again. */
const moving = 3;

let worker: WorkerUnderTest;
let vendor: ScriptedVendor;
beforeAll(async () => {
  worker = await openWorker();
  vendor = await startScriptedVendor(arkScript.callOf);
  await worker.startWorker(
    // What is in doubt stays in doubt, and keeps its slot.
    { VENDOR_TIMEOUT_MS: 500, SUBMISSION_UNKNOWN_AFTER_MS: 3_600_000, VENDOR_BREAKER_FAILURES: 5 },
    fixedConfiguration(configuration()),
  );
});
afterAll(async () => {
  await worker.close();
  await vendor.stop();
});

function configuration(): Configuration {
  const usual = configurationFor(
    worker.sandbox,
    `  hung: { kind: ark, base_url: "${vendor.url}/api/v3", api_key: "\${KEY}", max_concurrent: ${atOnce}, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }\n`,
  );
  const model = usual.models.get('sandbox-video')!;
  const [route] = model.routes;
  const hung = { ...route!, name: 'hung/sandbox-video', provider: 'hung' };
  return {
    ...usual,
    models: new Map([['both', { ...model, name: 'both', routes: [hung, route!] }]]),
  };
}

describe('a vendor that hangs with submissions in doubt in all its slots', () => {
  it('loses its queue to the other route, though too few fail to open its breaker', async () => {
    vendor.on('create', 'silence');
    vendor.on('list', 'silence');
    const tasks = await Promise.all(
      Array.from({ length: atOnce + moving + 1 }, () =>
        worker.aTask('a red balloon', {
          model: 'both',
          vendor: {
            provider: 'hung',
            kind: 'ark',
            baseUrl: `${vendor.url}/api/v3`,
            credentialId: 'test',
            upstreamModel: 'sandbox-video',
            taskId: null,
          },
        }),
      ),
    );
    await worker.producer.wakeAll(
      'video.advance',
      tasks.map(({ id }) => id),
    );

    await eventually(
      async () => {
        const { rows } = await worker.database.pool.query<{ step: string; n: number }>(
          `SELECT step, count(*)::int AS n FROM task WHERE model = 'both' GROUP BY 1 ORDER BY 1`,
        );
        expect(rows.find(({ step }) => step === 'submitting')?.n).toBe(atOnce);
        expect(rows.find(({ step }) => step === 'done')?.n).toBeGreaterThanOrEqual(moving);
      },
      { withinMs: 60_000, everyMs: 100 },
    );

    const tries = await Promise.all(
      tasks.map(({ id }) => createTaskTries(worker.database).ofTask(id)),
    );
    expect(
      tries.filter(([first]) => first?.leftBecause === 'breaker_open').length,
    ).toBeGreaterThanOrEqual(moving);
    expect(vendor.count('create')).toBe(atOnce);
  });
});
