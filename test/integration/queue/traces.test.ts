import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { retryAfter, done, isReportedAttempt } from '@gateway/queue';
import { currentContext, openTracing, runWith, type Tracing } from '@gateway/runtime';
import {
  eventually,
  openOtlpCollector,
  recordingLog,
  type CollectedSpan,
  type OtlpCollector,
} from '@gateway/testing';
import { aTaskId } from '../../contracts/queue-deployment.ts';
import { openDeployment, type Deployment } from './queues.ts';

let deployment: Deployment;
let collector: OtlpCollector;
let tracing: Tracing;
beforeEach(async () => {
  deployment = openDeployment();
  collector = await openOtlpCollector();
  tracing = (await openTracing('test', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  }))!;
});
afterEach(async () => {
  await deployment.close();
  await tracing.part(recordingLog()).stop();
  await collector.close();
});

const requestId = 'req_1';
const spansNamed = (name: string, count: number): Promise<CollectedSpan[]> =>
  eventually(
    () => {
      const found = collector.spans().filter((span) => span.name === name);
      expect(found).toHaveLength(count);
      return found;
    },
    { withinMs: 10_000 },
  );

describe('a job and its trace', () => {
  it('goes on in the trace of the request that made its task, and the handler’s lines with it', async () => {
    const seen: (string | undefined)[] = [];
    await deployment.consumer({
      tracing,
      handle: () => {
        seen.push(currentContext()?.span?.traceId);
        return Promise.resolve(done);
      },
    });
    const { producer } = await deployment.producer();
    const root = tracing.start('POST /v1/videos', { kind: 'server' });

    await runWith({ requestId, span: root }, () =>
      producer.wake('video.advance', aTaskId(), { isOwnTrace: true }),
    );
    root.end();

    const [handled] = await spansNamed('process video.advance', 1);
    const [send] = await spansNamed('send video.advance', 1);
    expect([handled!.traceId, handled!.parentSpanId, handled!.kind]).toEqual([
      root.traceId,
      send!.spanId,
      5,
    ]);
    expect([send!.parentSpanId, send!.kind]).toEqual([root.spanId, 4]);
    expect(seen).toEqual([root.traceId]);
  });

  it.each([
    ['a reconciler woke', 'wakeAll'],
    ['somebody else’s request hurried', 'wake'],
  ] as const)('is found in the task’s row by a job that %s', async (_case, how) => {
    const taskId = aTaskId();
    const own = tracing.start('POST /v1/videos');
    const others = tracing.start('POST /v1/other');
    const asked: string[] = [];
    await deployment.consumer({
      tracing,
      handle: () => Promise.resolve(done),
      traceOf: (id) => {
        asked.push(id);
        return Promise.resolve(own.traceparent);
      },
    });
    const { producer } = await deployment.producer();

    await runWith({ requestId, span: others }, () =>
      how === 'wakeAll'
        ? producer.wakeAll('video.advance', [taskId])
        : producer.wake('video.advance', taskId, { hurry: true }),
    );

    const runs = await eventually(
      () => {
        const found = collector.spans().filter(({ name }) => name === 'process video.advance');
        expect(found.length).toBeGreaterThan(0);
        return found;
      },
      { withinMs: 10_000 },
    );
    expect(
      new Set(runs.map(({ traceId, parentSpanId }) => `${traceId} ${String(parentSpanId)}`)),
    ).toEqual(new Set([`${own.traceId} ${own.spanId}`]));
    expect(new Set(asked)).toEqual(new Set([taskId]));
  });

  it.each([
    ['has none', () => Promise.resolve(undefined)],
    ['cannot be read', () => Promise.reject(new Error('the database is away'))],
  ])('is done without where the row %s', async (_case, traceOf) => {
    const seen: string[] = [];
    await deployment.consumer({
      tracing,
      traceOf,
      handle: () => {
        seen.push(currentContext()?.span === undefined ? 'untraced' : 'traced');
        return Promise.resolve(done);
      },
    });
    const { producer } = await deployment.producer();

    await producer.wakeAll('video.advance', [aTaskId()]);

    await eventually(() => {
      expect(seen).toEqual(['untraced']);
    });
  });

  it('tells the first runs and then ever fewer, unless something was done', async () => {
    let runs = 0;
    const root = tracing.start('POST /v1/videos');
    await deployment.consumer({
      tracing,
      traceOf: () => Promise.resolve(root.traceparent),
      handle: () => {
        runs += 1;
        if (runs === 11) currentContext()?.span?.child('ingest').end();
        return Promise.resolve(runs === 18 ? done : retryAfter(1));
      },
    });
    const { producer } = await deployment.producer();

    await producer.wakeAll('video.advance', [aTaskId()]);

    const told = await spansNamed('process video.advance', 11);
    expect(
      told.map(({ attributes }) => Number(attributes['gateway.job.attempt'])).sort((a, b) => a - b),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 18]);
  });
});

describe('runs that changed nothing', () => {
  it('are told eight times, then at powers of two', () => {
    const told = Array.from({ length: 1_000 }, (_unused, index) => index + 1).filter(
      isReportedAttempt,
    );

    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 256, 512]);
  });
});
