import { afterEach, describe, expect, it } from '@jest/globals';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { crashPointChannel, crashPoints, reached } from '@gateway/runtime';

const root = path.resolve(import.meta.dirname, '../../..');

const textsIn = (folder: string, ending: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8'));

const catalogue = Object.keys(crashPoints).sort();

describe('the crash points', () => {
  it('stand in the services exactly once each, where the catalogue says', () => {
    const found = [...new Set(Object.values(crashPoints).map(({ service }) => service))].flatMap(
      (service) =>
        textsIn(`services/${service}/src`, '.ts').flatMap((text) =>
          [...text.matchAll(/\breached\('([^']*)'/g)].map(([, point]) => `${service}: ${point}`),
        ),
    );

    expect(found.sort()).toEqual(
      Object.entries(crashPoints)
        .map(([point, { service }]) => `${service}: ${point}`)
        .sort(),
    );
  });

  it('are reached by their name alone, so that they can be found', () => {
    const calls =
      textsIn('services', '.ts')
        .join('')
        .match(/\breached\(/g) ?? [];

    expect(calls).toHaveLength(catalogue.length);
  });

  it('belong each to one step that a test kills a process in', () => {
    const steps = textsIn('test/long/crash-points', '.test.ts').flatMap((text) =>
      [...text.matchAll(/pointsOf\(([^)]*)\)/g)].flatMap(([, list]) =>
        [...list!.matchAll(/'([^']*)'/g)].map(([, step]) => step),
      ),
    );

    expect(steps.sort()).toEqual(
      [...new Set(catalogue.map((point) => point.split('.')[0]))].sort(),
    );
  });

  it('are listed in docs/crash-points.md as the catalogue has them', () => {
    const rows = readFileSync(path.join(root, 'docs/crash-points.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'));

    expect(rows).toEqual(
      Object.entries(crashPoints).map(
        ([point, { service, left, repairedBy }]) =>
          `| \`${point}\` | ${service} | ${left} | ${repairedBy} |`,
      ),
    );
  });
});

describe('reaching a crash point', () => {
  const heard: unknown[] = [];
  const listen = (message: unknown): void => {
    heard.push(message);
  };
  afterEach(() => {
    unsubscribe(crashPointChannel, listen);
  });

  it('is told to whoever listens, and to nobody else', () => {
    reached('settle.due', 'task_1');
    subscribe(crashPointChannel, listen);
    reached('settle.committed', 'task_2');
    unsubscribe(crashPointChannel, listen);
    reached('settle.due', 'task_3');

    expect(heard).toEqual([{ point: 'settle.committed', subject: 'task_2' }]);
  });
});
