import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { overview } from '../../../services/admin/src/run.ts';
import { list, matching, oneOf, record, text } from '../deploy/shape.ts';
import { documentsOf, fileOf, root } from '../deploy/suite.ts';
import {
  dashboards,
  documentedMetrics,
  expressions,
  groups,
  rules,
  type Groups,
} from './observability-files.ts';
import { familyOf, groupingIn, selectorsIn } from './promql.ts';

const documented = documentedMetrics();
const types = new Map(documented.map(({ name, type }) => [name, type]));
/** Of Node and the process, and the labels that Prometheus or prom-client add. */
const others = new Set([
  'nodejs_eventloop_lag_p99_seconds',
  'process_resident_memory_bytes',
  'process_cpu_seconds_total',
]);
const everywhere = ['service', 'namespace', 'le'];
const runbooksUrl = 'https://docs.example.com/gateway/runbooks.md#';

const alertShape = record({
  'groups!': list(
    record({
      'name!': text,
      'rules!': list(
        record({
          'alert!': matching(/^[A-Z][A-Za-z]+$/),
          'expr!': text,
          for: matching(/^\d+m$/),
          'labels!': record({ 'severity!': oneOf('critical', 'warning') }),
          'annotations!': record({
            'summary!': matching(/^[A-Z].*\.$/),
            'description!': matching(/^[A-Z{].*\.$/),
            'runbook_url!': matching(
              /^https:\/\/docs\.example\.com\/gateway\/runbooks\.md#[a-z]+$/,
            ),
          }),
        }),
      ),
    }),
  ),
});

describe('the alert rules', () => {
  it('have only fields that Prometheus has, and say of each alert how bad it is and what to do', () => {
    expect(alertShape(groups(), 'alerts')).toEqual([]);
    expect(new Set(rules().map(({ alert }) => alert)).size).toBe(rules().length);
  });

  it('are the same for Kubernetes', () => {
    const [manifest] = documentsOf(fileOf('k8s/components/monitoring/rules.yaml')) as [
      { spec: Groups },
    ];

    expect(manifest.spec).toEqual(groups());
  });

  it('are each seen firing where their trouble is, and silent beside it, by `promtool test rules`', () => {
    const expected = fileOf('observability/alerts.test.yaml').matchAll(
      /alertname="(\w+)",namespace="one"\}/g,
    );

    expect([...expected].map(([, alert]) => alert).sort()).toEqual(
      rules()
        .map(({ alert }) => alert)
        .sort(),
    );
  });

  it('have a section each in docs/runbooks.md, with what it means, where to look and what to do, and no section more', () => {
    const sections = fileOf('docs/runbooks.md')
      .split(/^## /m)
      .slice(1)
      .map((section) => ({ name: section.slice(0, section.indexOf('\n')), section }));

    expect(sections.map(({ name }) => name).sort()).toEqual(
      rules()
        .map(({ alert }) => alert)
        .sort(),
    );
    for (const { alert, annotations } of rules()) {
      expect(annotations['runbook_url']).toBe(`${runbooksUrl}${alert.toLowerCase()}`);
    }
    expect(
      sections
        .filter(
          ({ section }) =>
            !['**Means:**', '**Check:**', '**Fix:**'].every((word) => section.includes(word)),
        )
        .map(({ name }) => name),
    ).toEqual([]);
  });
});

describe('docs/runbooks.md', () => {
  const runbooks = fileOf('docs/runbooks.md');

  it('names commands, sections, pages and metrics that there are', () => {
    const commands = [
      ...runbooks.matchAll(/npm run admin -- ([a-z-]+(?: (?!video_)[a-z]+)?)/g),
    ].map(([, command]) => command!.trim());
    const pages = [...runbooks.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page!);
    const anchors = [...runbooks.matchAll(/\]\(#(\w+)\)/g)].map(([, anchor]) => anchor!);
    const metrics = [...runbooks.matchAll(/`((?:gateway|gen_ai|http_server)_\w+)/g)].map(
      ([, metric]) => familyOf(metric!, types),
    );

    expect(commands.length).toBeGreaterThan(10);
    expect(
      [...new Set(commands)].filter(
        (command) => !overview.includes(`npm run admin -- ${command} `),
      ),
    ).toEqual([]);
    expect(pages.filter((page) => !existsSync(path.join(root, 'docs', page)))).toEqual([]);
    expect(
      anchors.filter((anchor) => !rules().some(({ alert }) => alert.toLowerCase() === anchor)),
    ).toEqual([]);
    expect(metrics.length).toBeGreaterThan(15);
    expect(metrics.filter((metric) => !types.has(metric))).toEqual([]);
  });
});

describe('the dashboards', () => {
  it.each(dashboards())(
    'of %s are of a form that Grafana takes, with its data source as a variable',
    (file, dashboard) => {
      const { uid, title, panels, ...rest } = dashboard as typeof dashboard &
        Record<string, unknown>;
      const places = panels as unknown as {
        id: number;
        gridPos: { x: number; y: number; w: number; h: number };
        datasource: { uid: string };
        type: string;
      }[];

      expect([uid, title]).toEqual([
        `gateway-${file.replace('.json', '')}`,
        expect.stringMatching(/^Gateway: /),
      ]);
      expect(rest).toMatchObject({
        schemaVersion: 39,
        templating: {
          list: [
            { name: 'datasource', type: 'datasource', query: 'prometheus' },
            { name: 'namespace', type: 'query', includeAll: true, allValue: '.*' },
          ],
        },
      });
      expect(new Set(places.map(({ id }) => id)).size).toBe(places.length);
      expect(places.filter(({ gridPos: { x, w, h } }) => x + w > 24 || w < 3 || h < 3)).toEqual([]);
      expect(
        places.filter(
          ({ datasource, type }) =>
            datasource.uid !== '${datasource}' || !['timeseries', 'stat'].includes(type),
        ),
      ).toEqual([]);
    },
  );
});

describe('the expressions of alerts and dashboards', () => {
  it.each(expressions())(
    'in %s name metrics and labels that docs/metrics.md has',
    (_place, expression) => {
      const selectors = selectorsIn(expression);
      const families = selectors.map(({ metric }) => familyOf(metric, types));
      const labels = new Map(
        documented.map(({ name, labels: known }) => [name, [...known, ...everywhere]]),
      );
      const known = families.flatMap((family) => labels.get(family) ?? everywhere);

      expect(selectors.length).toBeGreaterThan(0);
      expect(families.filter((family) => !types.has(family) && !others.has(family))).toEqual([]);
      expect(
        selectors.flatMap(({ labels: named }) => named).filter((label) => !known.includes(label)),
      ).toEqual([]);
      expect(groupingIn(expression).filter((label) => !known.includes(label))).toEqual([]);
    },
  );

  it('judge and show each namespace by itself', () => {
    const mixing = rules().filter(({ expr }) =>
      [...expr.matchAll(/\b(?:sum|max|min|count)\b(?: by \(([^)]*)\))?/g)].some(
        ([, labels = '']) => !labels.split(', ').includes('namespace'),
      ),
    );
    const unasked = dashboards().flatMap(([file, { panels }]) =>
      panels
        .filter(({ targets }) =>
          targets.some(({ expr }) =>
            selectorsIn(expr).some(({ labels }) => !labels.includes('namespace')),
          ),
        )
        .map(({ title }) => `${file}: ${title}`),
    );

    expect(mixing.map(({ alert }) => alert)).toEqual([]);
    expect(unasked).toEqual([]);
  });

  it('show a share as 0 as long as there is nothing of it', () => {
    const shares = dashboards().flatMap(([, { panels }]) =>
      panels
        .flatMap(({ targets }) => targets.map(({ expr }) => expr))
        .filter((expr) => / \/ sum/.test(expr)),
    );

    expect(shares.length).toBeGreaterThan(4);
    expect(shares.filter((expr) => !/ or (?:vector\(0\)|0 \* sum.*)\) \/ sum/.test(expr))).toEqual(
      [],
    );
  });

  it('read counters as rates, and figures that every replica tells alike as their maximum', () => {
    const alike =
      /\bsum(?: by \([^)]*\))? \((gateway_(?:oldest_due|due_work|queue_|vendor_line|vendor_places|ledger_|exposures|held_|available_|open_holds))/;
    const wrong = expressions().filter(
      ([, expression]) =>
        alike.test(expression) ||
        [...expression.matchAll(/(\w+_total)(\{[^}]*\})?(\[)?/g)].some(
          ([, , , range]) => range === undefined,
        ),
    );

    expect(wrong).toEqual([]);
  });
});

describe('selectorsIn', () => {
  it.each([
    [
      'sum by (a) (rate(b_total{c="x",d=~"y|z"}[5m])) > 0.2 * sum(rate(e_total[5m]))',
      [
        { metric: 'b_total', labels: ['c', 'd'] },
        { metric: 'e_total', labels: [] },
      ],
    ],
    [
      'absent(up{job="x{y}"}) or time() - max(t) > 600',
      [
        { metric: 'up', labels: ['job'] },
        { metric: 't', labels: [] },
      ],
    ],
  ])('finds the metrics of %s', (expression, expected) => {
    expect(selectorsIn(expression)).toEqual(expected);
  });

  it.each(['sum(a', 'sum(a))', 'a{b="c}', 'rate(a[5m)'])('refuses %s', (expression) => {
    expect(() => selectorsIn(expression)).toThrow();
  });
});
