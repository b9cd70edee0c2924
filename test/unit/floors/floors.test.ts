import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A small house: what each package and service declares. */
const dependencies: Record<string, readonly string[]> = {
  'packages/domain': [],
  'packages/contracts': ['@gateway/domain'],
  'packages/runtime': ['@gateway/domain'],
  'packages/store': ['@gateway/domain', '@gateway/runtime'],
  'packages/testing': ['@gateway/domain'],
  'packages/client': ['@gateway/domain', 'bullmq'],
  'services/api': ['@gateway/client', '@gateway/domain', '@gateway/store', '@gateway/testing'],
  'services/billing': ['@gateway/api', '@gateway/runtime', 'bullmq'],
};

const harmless: Record<string, string> = {
  'packages/domain/src/index.ts': 'export type Price = number;\n',
  'packages/domain/src/hen.ts': "import type { Egg } from './egg.ts';\n",
  'packages/contracts/src/index.ts': "export type { Price } from '@gateway/domain';\n",
  'packages/runtime/src/index.ts': "export type { Price as Paid } from '@gateway/domain';\n",
  'packages/store/src/index.ts': 'export const rows = 1;\n',
  'packages/store/src/inside.ts': "export { rows } from './index.ts';\n",
  'packages/testing/src/index.ts': 'export const peer = 1;\n',
  'packages/client/src/index.ts': 'export const client = 1;\n',
  'services/api/src/index.ts': "export { rows } from '@gateway/store';\n",
  'services/api/src/adapters/clock.ts': "export { rows } from '@gateway/store';\n",
  'services/api/src/text/route/index.ts': "export { choose } from './choose.ts';\n",
  'services/api/src/text/route/choose.ts': 'export const choose = 1;\n',
  'services/api/src/use-cases/pay.ts': "import type { rows } from '@gateway/store';\n",
  'services/billing/src/index.ts': "export type { Paid } from '@gateway/runtime';\n",
};

/** Each breaks one rule, and names it. */
const probes: readonly (readonly [rule: string, file: string, source: string])[] = [
  ['floor-of-domain', 'packages/domain/src/up.ts', "import type { Paid } from '@gateway/runtime';"],
  ['floor-of-store', 'packages/store/src/up.ts', "import type { Paid } from '@gateway/runtime';"],
  [
    'floor-is-known',
    'packages/attic/src/index.ts',
    "import type { Price } from '@gateway/domain';",
  ],
  ['no-service-from-another', 'services/billing/src/peek.ts', "import '@gateway/api';"],
  ['no-workshop-in-production', 'services/api/src/peer.ts', "import '@gateway/testing';"],
  ['package-face', 'services/api/src/in.ts', "import '../../../packages/store/src/inside.ts';"],
  ['floor-of-client', 'packages/client/src/in.ts', "import type { Price } from '@gateway/domain';"],
  ['no-customer-side-inside', 'services/api/src/call.ts', "import '@gateway/client';"],
  ['client-uses-no-library', 'packages/client/src/jobs.ts', "import 'bullmq';"],
  ['client-uses-nothing-of-node', 'packages/client/src/io.ts', "import 'node:fs';"],
  ['no-circle', 'packages/domain/src/egg.ts', "import type { Hen } from './hen.ts';"],
  ['use-cases-know-no-edge', 'services/api/src/use-cases/a.ts', "import '../adapters/clock.ts';"],
  ['use-cases-do-no-io', 'services/api/src/use-cases/b.ts', "import '@gateway/store';"],
  ['use-cases-use-no-library', 'services/api/src/use-cases/c.ts', "import 'bullmq';"],
  ['use-cases-use-no-library', 'services/api/src/use-cases/d.ts', "import 'node:fs/promises';"],
  ['text-lane-arrive', 'services/api/src/text/arrive/up.ts', "import '../route/index.ts';"],
  ['text-lane-face-of-route', 'services/api/src/text/in.ts', "import './route/choose.ts';"],
  ['text-lane-door', 'services/api/src/http/in.ts', "import '../text/route/index.ts';"],
  ['pure-packages-do-no-io', 'packages/domain/src/io.ts', "import 'node:fs';"],
  ['bullmq-is-wrapped', 'services/billing/src/jobs.ts', "import 'bullmq';"],
  ['declared-dependency', 'packages/store/src/missing.ts', "import 'bullmq';"],
  [
    'declared-in-services-api',
    'services/api/src/m.ts',
    "import type { P } from '@gateway/runtime';",
  ],
  ['found-module', 'packages/domain/src/lost.ts', "import './nowhere.ts';"],
  ['no-orphan', 'packages/domain/src/alone.ts', 'export const alone = 1;'],
];

interface Cruised {
  readonly summary: {
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
    }[];
  };
}

describe('the floors', () => {
  let house: string;
  let refused: readonly (readonly [rule: string, file: string])[];

  beforeAll(async () => {
    house = await realpath(await mkdtemp(path.join(tmpdir(), 'floors-')));
    await build(house);
    refused = await refusedIn(house);
  });
  afterAll(() => rm(house, { recursive: true, force: true }));

  it.each(probes)('refuse by %s: %s', (rule, file) => {
    expect(refused).toContainEqual([rule, file]);
  });

  it('let the rest be', () => {
    expect(refused.filter(([, file]) => file in harmless)).toStrictEqual([]);
  });
});

async function build(house: string): Promise<void> {
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(house, file)), { recursive: true });
    await writeFile(path.join(house, file), text);
  };
  for (const [folder, names] of Object.entries(dependencies)) {
    const name = `@gateway/${path.basename(folder)}`;
    const face = { '@gateway/source': './src/index.ts', default: './dist/index.js' };
    const declared = Object.fromEntries(names.map((each) => [each, '1.0.0']));
    await write(
      `${folder}/package.json`,
      JSON.stringify({ name, type: 'module', exports: { '.': face }, dependencies: declared }),
    );
    await mkdir(path.join(house, 'node_modules', '@gateway'), { recursive: true });
    await symlink(path.join(house, folder), path.join(house, 'node_modules', name));
  }
  await write('package.json', '{}');
  await write('node_modules/bullmq/package.json', '{ "name": "bullmq", "main": "index.js" }');
  await write('node_modules/bullmq/index.js', '');
  for (const [file, text] of Object.entries(harmless)) await write(file, text);
  for (const [, file, text] of probes) await write(file, `${text}\n`);
}

async function refusedIn(house: string): Promise<[string, string][]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      ...['--config', path.join(root, '.dependency-cruiser.mjs'), '--output-type', 'json'],
      ...['packages', 'services'],
    ],
    { cwd: house, maxBuffer: 10_000_000 },
  );
  const { summary } = JSON.parse(stdout) as Cruised;
  return summary.violations.map(({ rule, from }) => [rule.name, from]);
}
