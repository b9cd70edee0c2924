import { describe, expect, it } from '@jest/globals';
import {
  currentContext,
  inSpan,
  loadSettings,
  openTracing,
  readTraceparent,
  runWith,
  tracingPlan,
  tracingSettingSchemas,
  writeTraceparent,
  type Tracing,
  type TracingSettings,
} from '@gateway/runtime';
import {
  eventually,
  openOtlpCollector,
  openPeer,
  recordingLog,
  type OtlpCollector,
} from '@gateway/testing';

const endpoint = 'http://collector.test:4318';

describe('whether a service is traced', () => {
  it.each([
    ['nothing is set', {}, undefined],
    ['an endpoint is named', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, `${endpoint}/v1/traces`],
    [
      'an endpoint with a path and slashes is named',
      { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/otlp//` },
      `${endpoint}/otlp/v1/traces`,
    ],
    [
      'an endpoint for traces is named',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/here` },
      `${endpoint}/here`,
    ],
    [
      'both are named',
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other.test',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/here`,
      },
      `${endpoint}/here`,
    ],
    [
      'the SDK is disabled',
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: true },
      undefined,
    ],
    [
      'the SDK is expressly not disabled',
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: false },
      `${endpoint}/v1/traces`,
    ],
    [
      'no exporter is wanted',
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' },
      undefined,
    ],
    [
      'only a name is set',
      { OTEL_SERVICE_NAME: 'ours', OTEL_TRACES_SAMPLER: 'always_on' },
      undefined,
    ],
  ])('is decided where %s', (_case, settings, url) => {
    expect(tracingPlan('api', settings)?.url).toBe(url);
  });

  it('takes name, headers, attributes, encoding and sampler from the standard variables', () => {
    expect(
      tracingPlan('api', {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc%3D, x-team = video',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_SERVICE_NAME: 'edge',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=prod',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: 0.1,
      }),
    ).toEqual({
      url: `${endpoint}/v1/traces`,
      encoding: 'json',
      headers: { authorization: 'Basic abc=', 'x-team': 'video' },
      resource: { 'service.name': 'edge', 'deployment.environment.name': 'prod' },
      sampler: 'traceidratio',
      ratio: 0.1,
    });
    expect(tracingPlan('billing', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toMatchObject({
      encoding: 'protobuf',
      sampler: 'parentbased_always_on',
      ratio: 1,
      resource: { 'service.name': 'gateway-billing' },
    });
  });
});

describe('the settings of traces', () => {
  const read = (environment: NodeJS.ProcessEnv): TracingSettings =>
    loadSettings<TracingSettings>(
      { type: 'object', properties: tracingSettingSchemas },
      environment,
    );

  it('may all be missing, or empty', () => {
    expect(read({})).toEqual({});
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SDK_DISABLED: '' })).toEqual({});
  });

  it('are read in the form that the standard gives them', () => {
    expect(
      read({
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_SDK_DISABLED: 'false',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        OTEL_RESOURCE_ATTRIBUTES: 'a=b, c = d%20e,',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
      }),
    ).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_SDK_DISABLED: false,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: 0.25,
      OTEL_RESOURCE_ATTRIBUTES: 'a=b, c = d%20e,',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'sekret-without-a-name'],
    ['OTEL_SDK_DISABLED', 'maybe'],
  ])('keep a service from starting when %s is %j, without repeating it', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(new RegExp(`${name} must`));
    expect(() => read({ [name]: value })).not.toThrow(new RegExp(value));
  });
});

describe('a traceparent', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spanId = 'b7ad6b7169203331';

  it('is read and written as the W3C says', () => {
    expect(readTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({
      traceId,
      spanId,
      isSampled: true,
    });
    expect(readTraceparent(`cc-${traceId}-${spanId}-00-what-the-future-adds`)).toEqual({
      traceId,
      spanId,
      isSampled: false,
    });
    expect(writeTraceparent({ traceId, spanId, isSampled: true })).toBe(
      `00-${traceId}-${spanId}-01`,
    );
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01${'-x'.repeat(200)}`,
  ])('is not believed when it says %j', (header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });
});

describe('spans', () => {
  const traced = async (
    body: (tracing: Tracing, collector: OtlpCollector) => Promise<void>,
    settings = {},
  ): Promise<OtlpCollector> => {
    const collector = await openOtlpCollector();
    const tracing = (await openTracing('test', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...settings,
    }))!;
    try {
      await body(tracing, collector);
    } finally {
      await tracing.part(recordingLog()).stop();
      await collector.close();
    }
    return collector;
  };
  const requestId = 'req_1';

  it('stand under the one that is under way, across awaits, and end with it', async () => {
    const collector = await traced(async (tracing) => {
      const root = tracing.start('GET /x', { kind: 'server' });
      await runWith({ requestId, span: root }, () =>
        inSpan('outer', {}, async () => {
          await Promise.resolve();
          await inSpan('inner', { kind: 'client' }, () => Promise.resolve());
        }),
      );
      root.end();
    });

    const [inner, outer, root] = ['inner', 'outer', 'GET /x'].map((name) =>
      collector.spans().find((span) => span.name === name)!,
    );
    expect([root!.parentSpanId, outer!.parentSpanId, inner!.parentSpanId]).toEqual([
      undefined,
      root!.spanId,
      outer!.spanId,
    ]);
    expect(new Set([root!.traceId, outer!.traceId, inner!.traceId]).size).toBe(1);
  });

  it('say the class of what went wrong and not its words', async () => {
    const collector = await traced(async (tracing) => {
      const span = tracing.start('root');
      await runWith({ requestId, span }, () =>
        inSpan('breaks', {}, () => Promise.reject(new RangeError('the password is hunter2'))),
      ).catch(() => undefined);
      span.end();
    });

    expect(collector.spans().find(({ name }) => name === 'breaks')).toMatchObject({
      isFailed: true,
      attributes: { 'error.type': 'RangeError' },
    });
    expect(collector.text()).not.toContain('hunter2');
  });

  it('carry no token even where somebody puts one', async () => {
    const collector = await traced((tracing) => {
      tracing
        .start('careless', {
          attributes: {
            a: 'https://x.test/y?token=abcdef',
            b: 'Bearer sekret',
            c: 'sk-gw-123456',
            d: undefined,
          },
        })
        .end();
      return Promise.resolve();
    });

    expect(collector.spans()).toHaveLength(1);
    for (const secret of ['abcdef', 'sekret', '123456']) {
      expect(collector.text()).not.toContain(secret);
    }
  });

  it.each([
    ['routine and not worth it', true, false, 0],
    ['routine and worth it', true, true, 2],
    ['more than routine', false, false, 2],
  ] as const)(
    'that are held and %s are told together or not at all',
    async (_case, isRoutine, isWorthIt, told) => {
      const collector = await traced((tracing) => {
        const { span, settle } = tracing.startHeld('look');
        span.child('poll', { isRoutine }).end();
        settle(isWorthIt);
        return Promise.resolve();
      });

      expect(collector.spans()).toHaveLength(told);
    },
  );

  it('are left to the sampler, and to the caller’s own decision', async () => {
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
    const collector = await traced(
      (tracing) => {
        tracing.start('not sampled', { parent: `${parent}-00` }).end();
        tracing.start('root').end();
        const sampled = tracing.start('sampled', { parent: `${parent}-01` });
        expect(sampled.traceparent).toMatch(
          /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/,
        );
        sampled.end();
        return Promise.resolve();
      },
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: 0 },
    );

    expect(collector.spans().map(({ name }) => name)).toEqual(['sampled']);
  });

  it('cost nothing but a question without a trace', async () => {
    await expect(
      inSpan('nothing', {}, (span) => Promise.resolve([span, currentContext()])),
    ).resolves.toEqual([undefined, undefined]);
  });
});

describe('a collector that does not take spans', () => {
  it.each([
    ['hangs', false],
    ['refuses', true],
  ])('and %s neither breaks a span nor holds a stop up', async (_case, isResponded) => {
    const peer = await openPeer((_received, response) => {
      if (isResponded) response.writeHead(400).end();
    });
    const log = recordingLog();
    const tracing = (await openTracing('test', { OTEL_EXPORTER_OTLP_ENDPOINT: peer.url }))!;
    const part = tracing.part(log);
    await part.start?.();
    tracing.start('lost').end();
    await eventually(() => {
      expect(peer.received).toHaveLength(1);
    });
    if (isResponded) {
      await eventually(() => {
        expect(log.lines.some(({ level }) => level === 'warn')).toBe(true);
      });
      tracing.start('lost too').end();
      await eventually(() => {
        expect(peer.received).toHaveLength(2);
      });
    }

    await expect(part.stop()).resolves.toBeUndefined();

    expect(peer.received[0]!.headers['content-type']).toBe('application/x-protobuf');
    expect(log.lines.filter(({ level }) => level === 'warn').length).toBe(isResponded ? 1 : 0);
    await peer.close();
  });
});
