/** @workers 3: it promises no times. */
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openReceiver, scrapeAnew, type Receiver } from '@gateway/testing';
import { documentedMetrics, expressions, rules } from '../unit/docs/observability-files.ts';
import { familyOf, selectorsIn } from '../unit/docs/promql.ts';
import { findPrometheus, startPrometheus, testRules } from './prometheus.ts';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';

const services = ['api', 'billing', 'callback-dispatcher', 'video-worker'] as const;
const video = { model: 'sandbox-video', duration: 4, resolution: '480p' };
const messagesVersion = { 'anthropic-version': '2023-06-01' };

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Scrape {
  readonly service: string;
  /** Families by name, each with its type and what it says of itself. */
  readonly families: ReadonlyMap<string, { readonly type: string; readonly help: string }>;
  readonly samples: readonly Sample[];
}

const prometheus = await findPrometheus();

let gateway: SuiteUnderTest;
let receiver: Receiver;
let customer: Customer;
beforeAll(async () => {
  [gateway, receiver] = await Promise.all([openSuite(), openReceiver()]);
  customer = await gateway.aCustomer(100_000);
  await someWork();
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

/**
 * A video that succeeds with its callbacks, one that the vendor refuses, and text in both dialects,
 * whole and as a stream.
 */
async function someWork(): Promise<void> {
  const tasks = [
    await customer.create({ ...video, prompt: 'a cat', callback_url: receiver.url }),
    await customer.create({ ...video, prompt: '[fail] a dog' }),
  ];
  const ask = (path: string, body: object): Promise<number> =>
    fetch(`${gateway.suite.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': 'application/json',
        ...messagesVersion,
      },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], ...body }),
    }).then(async (response) => {
      await response.text();
      return response.status;
    });
  const chat = { model: 'sandbox-chat' };
  const responses = await Promise.all([
    ask('/v1/chat/completions', chat),
    ask('/v1/chat/completions', { ...chat, stream: true }),
    ask('/v1/messages', { ...chat, max_tokens: 50 }),
  ]);
  expect(responses).toEqual([200, 200, 200]);
  for (const { id } of tasks) {
    await eventually(
      async () => {
        expect(['succeeded', 'failed']).toContain(
          ((await customer.request('GET', `/v1/videos/${id}`)).body as { status: string }).status,
        );
      },
      { withinMs: 60_000, everyMs: 200 },
    );
  }
  await eventually(
    () => {
      expect(receiver.pushes().some(({ body }) => body.status === 'succeeded')).toBe(true);
    },
    { withinMs: 30_000 },
  );
}

async function scrape(service: string): Promise<Scrape> {
  const lines = (await scrapeAnew(gateway.suite.opsUrlOf(service))).split('\n');
  const help = new Map(
    lines.flatMap((line) => {
      const [, name, text] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, text!] as const];
    }),
  );
  const families = new Map(
    lines.flatMap((line) => {
      const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      return name === undefined
        ? []
        : [[name, { type: type!, help: help.get(name) ?? '' }] as const];
    }),
  );
  const samples = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`not a sample: ${line}`);
      return {
        name,
        value: Number(value),
        labels: Object.fromEntries(
          [...(labels ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [
            label!,
            text!,
          ]),
        ),
      };
    });
  return { service, families, samples };
}

const scrapeAll = (): Promise<Scrape[]> => Promise.all(services.map(scrape));

/** The sum over the samples that have these labels. */
const total = (
  { samples }: Scrape,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  samples
    .filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);

const isOurs = (name: string): boolean => /^(?:gateway|gen_ai|http_server)_/.test(name);

describe('a scrape of the running suite', () => {
  it('has the metrics of docs/metrics.md: of that type, from those services, with that meaning and no label more', async () => {
    const scrapes = await scrapeAll();
    const names = [
      ...new Set(scrapes.flatMap(({ families }) => [...families.keys()].filter(isOurs))),
    ].sort();
    const documented = documentedMetrics();
    const found = names.map((name) => {
      const of = scrapes.filter(({ families }) => families.has(name));
      const { type, help } = of[0]!.families.get(name)!;
      return { name, type, meaning: help, services: of.map(({ service }) => service) };
    });
    const types = new Map(found.map(({ name, type }) => [name, type]));
    const unknownLabels = scrapes.flatMap(({ samples }) =>
      samples
        .filter(({ name }) => isOurs(name))
        .flatMap(({ name, labels }) => {
          const known =
            documented.find((metric) => metric.name === familyOf(name, types))?.labels ?? [];
          return Object.keys(labels)
            .filter((label) => ![...known, 'service', 'le'].includes(label))
            .map((label) => `${name} ${label}`);
        }),
    );

    expect(found).toEqual(
      documented
        .map(({ name, type, meaning, services: told }) => ({ name, type, meaning, services: told }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
    );
    expect([...new Set(unknownLabels)]).toEqual([]);
  });

  it('has every metric that an alert or a dashboard names', async () => {
    const scrapes = await scrapeAll();
    const types = new Map(
      scrapes.flatMap(({ families }) =>
        [...families].map(([name, { type }]) => [name, type] as const),
      ),
    );
    const missing = expressions().flatMap(([place, expression]) =>
      selectorsIn(expression)
        .filter(({ metric }) => !types.has(familyOf(metric, types)))
        .map(({ metric }) => `${place}: ${metric}`),
    );

    expect(expressions().length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('tells what was done: calls to vendors and billing, tokens, callbacks, statuses', async () => {
    // A figure may come a moment after the response that it counts.
    await eventually(
      async () => {
        const [api, billing, dispatcher, worker] = (await scrapeAll()) as [
          Scrape,
          Scrape,
          Scrape,
          Scrape,
        ];

        expect(
          total(worker, 'gateway_vendor_call_duration_seconds_count', {
            provider: 'sandbox',
            operation: 'submit',
            outcome: 'accepted',
          }),
        ).toBe(2);
        expect([
          total(worker, 'gateway_task_ends_total', { status: 'succeeded' }),
          total(worker, 'gateway_task_ends_total', { status: 'failed' }),
        ]).toEqual([1, 1]);
        expect(
          total(api, 'gateway_billing_call_duration_seconds_count', {
            operation: 'take_hold',
            outcome: 'answered',
          }),
        ).toBe(2);
        expect(
          total(api, 'gen_ai_client_operation_duration_seconds_count', {
            gen_ai_request_model: 'sandbox-chat',
            error_type: '',
          }),
        ).toBe(3);
        expect(total(api, 'gen_ai_client_operation_time_to_first_chunk_seconds_count')).toBe(1);
        expect(
          total(api, 'gen_ai_client_token_usage_sum', { gen_ai_token_type: 'output' }),
        ).toBeGreaterThan(10);
        expect(
          total(dispatcher, 'gateway_callback_attempts_total', { class: 'success' }),
        ).toBeGreaterThanOrEqual(2);
        expect(
          billing.samples.filter(({ name }) => name === 'gateway_ledger_violations').length,
        ).toBeGreaterThan(20);
        for (const [each, work] of [
          [billing, 'settlement'],
          [billing, 'usage'],
          [dispatcher, 'push'],
          [worker, 'video'],
        ] as const) {
          expect(
            each.samples.filter(
              ({ name, labels }) =>
                name === 'gateway_oldest_due_seconds' && labels['work'] === work,
            ),
          ).toHaveLength(1);
        }
        for (const each of [api, billing, dispatcher, worker]) {
          expect([
            total(each, 'gateway_ready'),
            total(each, 'gateway_worker_stalled'),
            total(each, 'gateway_build_info'),
          ]).toEqual([1, 0, 1]);
          expect(
            each.samples.filter(
              ({ name, value }) => name === 'gateway_dependency_up' && value !== 1,
            ),
          ).toEqual([]);
        }
      },
      { withinMs: 30_000 },
    );
  });

  it('has no label of a stranger’s making, and no series of requests more after another wave of strangers', async () => {
    const seriesOf = ({ samples }: Scrape): string[] =>
      samples
        .filter(({ name }) => isOurs(name))
        .map(({ name, labels }) => JSON.stringify([name, labels]));
    const unmatched = (each: Scrape): number =>
      total(each, 'http_server_request_duration_seconds_count', { http_route: 'unmatched' });
    await hostileWave();
    await hostileWave(); // what the first one counts late is there after the second
    const before = await scrapeAll();
    const mark = await hostileWave();
    const after = await eventually(async () => {
      const scrapes = await scrapeAll();
      expect(unmatched(scrapes[0]!)).toBeGreaterThan(unmatched(before[0]!));
      return scrapes;
    });
    const known = new Set(before.flatMap(seriesOf));

    expect(
      after.flatMap(({ samples }) =>
        samples.filter(({ labels }) => Object.values(labels).some((value) => value.includes(mark))),
      ),
    ).toEqual([]);
    expect(
      after.flatMap(seriesOf).filter((series) => !known.has(series) && series.includes('http_')),
    ).toEqual([]);
    expect(
      after.flatMap(({ samples }) =>
        samples.filter(({ labels }) =>
          ['PURGE', 'MKCOL'].includes(labels['http_request_method'] ?? ''),
        ),
      ),
    ).toEqual([]);
  });
});

/** What has nothing to show as long as nothing goes wrong, or nobody asked for it. */
const quiet =
  /_failed|violations[^)]*\) > 0|error_type!=""|failure\)|callbacks_stopped|deferred|route_changes|swept|exposure_total|breaker_state|model_gone|retires|responses_removed|route_circuit/;

(prometheus === undefined ? describe.skip : describe)(
  'in a real Prometheus (left out where the distribution has none)',
  () => {
    it('every rule evaluates, and every panel has something to show under traffic', async () => {
      const running = await startPrometheus(prometheus!, services.map(gateway.suite.opsUrlOf));
      try {
        const panels = expressions()
          .filter(([place]) => !place.startsWith('alert '))
          .map(
            ([place, expression]) => [place, expression.replaceAll('$namespace', 'here')] as const,
          );
        await eventually(
          async () => {
            const health = await running.rules();
            expect(health).toHaveLength(rules().length);
            expect(health.filter((rule) => rule.health !== 'ok')).toEqual([]);
            const shown = await Promise.all(
              panels.map(async ([place, expression]) => ({
                place,
                expression,
                series: await running.seriesOf(expression),
              })),
            );
            expect(
              shown
                .filter(({ series, expression }) => series === 0 && !quiet.test(expression))
                .map(({ place, expression }) => `${place}: ${expression}`),
            ).toEqual([]);
          },
          { withinMs: 30_000, everyMs: 1_000 },
        );
      } finally {
        await running.stop();
      }
    });

    it('each alert fires where its trouble is, and nowhere else', async () => {
      expect(await testRules(prometheus!)).toContain('SUCCESS');
    });
  },
);

/**
 * Requests with paths, methods, ids, models and keys that nobody knows; all of them carry the mark
 * that gets a response.
 */
async function hostileWave(): Promise<string> {
  const mark = `zq${randomBytes(6).toString('hex')}`;
  const { request } = customer;
  const ask = { messages: [{ role: 'user', content: 'x' }], max_tokens: 1 };
  const paths = [
    `/${mark}`,
    `/v1/${mark}/x`,
    `/v1/videos/${mark}`,
    `/v1/videos/video_${mark}/content`,
    `/v1/messages/${mark}`,
    `/internal/${mark}`,
    `/admin/v1/${mark}`,
  ];
  await Promise.all([
    ...paths.map((path) => request('GET', path)),
    request('POST', '/v1/videos', { ...video, model: mark, prompt: 'x' }),
    request('POST', '/v1/chat/completions', { ...ask, model: mark }),
    request('POST', '/v1/messages', { ...ask, model: mark }, messagesVersion),
    request(
      'POST',
      '/v1/chat/completions',
      { ...ask, model: 'sandbox-chat' },
      { authorization: `Bearer ${mark}`, 'x-request-id': mark },
    ),
    ...['PURGE', 'MKCOL'].map((method) => raw(method, `/${mark}`)),
  ]);
  for (const service of services.slice(1)) {
    await fetch(`${gateway.suite.opsUrlOf(service)}/${mark}`).then((response) => response.text());
  }
  return mark;
}

/** With a method that fetch does not send. */
const raw = (method: string, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.suite.baseUrl);
    const sent = httpRequest({ method, path, hostname, port }, (response) => {
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end();
  });
