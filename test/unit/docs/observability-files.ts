import { readdirSync } from 'node:fs';
import path from 'node:path';
import { documentsOf, fileOf, root } from '../deploy/suite.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Groups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const alertsFile = 'observability/alerts.yaml';
export const groups = (): Groups => documentsOf(fileOf(alertsFile))[0] as Groups;
export const rules = (): Rule[] => groups().groups.flatMap(({ rules: each }) => each);

export interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const folder = 'observability/dashboards';
export const dashboards = (): (readonly [file: string, dashboard: Dashboard])[] =>
  readdirSync(path.join(root, folder))
    .sort()
    .map((file) => [file, JSON.parse(fileOf(`${folder}/${file}`)) as Dashboard] as const);

/** Every expression that stands in an alert or a dashboard, with where it stands. */
export const expressions = (): (readonly [place: string, expression: string])[] => [
  ...rules().map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...dashboards().flatMap(([file, { panels }]) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => [`${file}: ${title}`, expr] as const),
    ),
  ),
];

export interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly services: readonly string[];
  readonly meaning: string;
}

const everyService = ['api', 'billing', 'callback-dispatcher', 'video-worker'];

/** The table of docs/metrics.md. */
export const documentedMetrics = (): DocumentedMetric[] =>
  [
    ...fileOf('docs/metrics.md').matchAll(
      /^\| `((?:gateway|gen_ai|http)_\w+)` \| (\w+) \|(.*?)\| ([\w, -]+) \| (.+) \|$/gm,
    ),
  ].map(([, name, type, labels, services, meaning]) => ({
    name: name!,
    type: type!,
    labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
    services: services === 'all' ? everyService : services!.split(', '),
    meaning: meaning!,
  }));
