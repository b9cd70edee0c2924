import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { eventually } from '@gateway/testing';
import { freePort } from '@gateway/local-stack';
import { fetchPackage } from '../../packages/local-stack/src/distribution-package.ts';
import { root } from '../unit/deploy/suite.ts';

const run = promisify(execFile);

/** The programs of one package. */
export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

const programsIn = (folder: string): PrometheusPrograms | undefined => {
  const programs = {
    prometheus: path.join(folder, 'usr/bin/prometheus'),
    promtool: path.join(folder, 'usr/bin/promtool'),
  };
  return Object.values(programs).every((file) => existsSync(file)) ? programs : undefined;
};

/** Of this machine, else of its distribution; undefined where neither has them. */
export const findPrometheus = async (): Promise<PrometheusPrograms | undefined> =>
  programsIn('/') ??
  fetchPackage({
    name: 'prometheus',
    find: (folder) => Promise.resolve(programsIn(folder)),
    cacheDir: path.join(root, '.cache', 'prometheus'),
    log: () => undefined,
  });

/** What `promtool test rules` says of the rules; rejects with it when a test fails. */
export const testRules = async ({ promtool }: PrometheusPrograms): Promise<string> =>
  (await run(promtool, ['test', 'rules', 'observability/alerts.test.yaml'], { cwd: root })).stdout;

export interface RuleHealth {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

export interface RunningPrometheus {
  /** How many series an expression has now. Rejects for one that Prometheus does not understand. */
  readonly seriesOf: (expression: string) => Promise<number>;
  readonly rules: () => Promise<RuleHealth[]>;
  readonly stop: () => Promise<void>;
}

/** A Prometheus that scrapes these services every second, by the rules of the project. */
export async function startPrometheus(
  { prometheus }: PrometheusPrograms,
  targets: readonly string[],
): Promise<RunningPrometheus> {
  const folder = await mkdtemp(path.join(root, '.cache', 'prometheus-run-'));
  const port = await freePort();
  await writeFile(
    path.join(folder, 'prometheus.yml'),
    stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [path.join(root, 'observability/alerts.yaml')],
      scrape_configs: [
        {
          job_name: 'gateway',
          static_configs: [
            { targets: targets.map((url) => new URL(url).host), labels: { namespace: 'here' } },
          ],
        },
      ],
    }),
  );
  const child = spawn(
    prometheus,
    [
      `--config.file=${path.join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ask = async <Data>(question: string): Promise<Data> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${question}`);
    const { data, error } = (await response.json()) as { data: Data; error?: string };
    if (error !== undefined) throw new Error(`${question}: ${error}`);
    return data;
  };
  await eventually(() => ask('status/runtimeinfo'), { withinMs: 20_000, everyMs: 100 });
  return {
    async seriesOf(expression) {
      const { result } = await ask<{ result: unknown[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      );
      return result.length;
    },
    async rules() {
      const { groups } = await ask<{ groups: { rules: RuleHealth[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules);
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
