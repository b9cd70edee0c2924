import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  environmentExample,
  settingsDocument,
  type ServiceSettings,
  type ShownSchema,
} from '@gateway/runtime';
import { settingsSchema as admin } from '../../../services/admin/src/config.ts';
import { settingsSchema as api } from '../../../services/api/src/config.ts';
import { settingsSchema as billing } from '../../../services/billing/src/config.ts';
import { settingsSchema as dispatcher } from '../../../services/callback-dispatcher/src/config.ts';
import { settingsSchema as sandbox } from '../../../services/sandbox-vendor/src/config.ts';
import { settingsSchema as worker } from '../../../services/video-worker/src/config.ts';

const schemas = {
  api,
  'video-worker': worker,
  'callback-dispatcher': dispatcher,
  billing,
  admin,
  'sandbox-vendor': sandbox,
};
const services: ServiceSettings[] = Object.entries(schemas).map(([service, schema]) => ({
  service,
  schema: schema as ShownSchema,
}));

const root = new URL('../../../', import.meta.url);
const fileText = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const remedy = 'out of date; write it anew: npm run build && node scripts/settings.mjs';

describe('the settings that are documented', () => {
  it.each([
    ['docs/settings.md', settingsDocument],
    ['.env.example', environmentExample],
  ])('in %s are those of the services', (path, write) => {
    expect(fileText(path) === write(services) ? 'up to date' : remedy).toBe('up to date');
  });

  it('are of every service there is', () => {
    const withSettings = readdirSync(new URL('services/', root)).filter((service) =>
      existsSync(new URL(`services/${service}/src/config.ts`, root)),
    );

    expect(withSettings.sort()).toEqual(Object.keys(schemas).sort());
  });

  it('all say what they mean', () => {
    const silent = services.flatMap(({ service, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([, { description = '' }]) => description === '')
        .map(([name]) => `${service} ${name}`),
    );

    expect(silent).toEqual([]);
  });

  it('mean the same in every service that has them', () => {
    const meanings = new Map<string, Set<string>>();
    // These follow from what the service is.
    const own = ['PORT', 'HOST'];
    for (const { schema } of services) {
      for (const [name, { description = '' }] of Object.entries(schema.properties ?? {})) {
        meanings.set(name, (meanings.get(name) ?? new Set()).add(description));
      }
    }

    expect(
      [...meanings]
        .filter(([name, { size }]) => size > 1 && !own.includes(name))
        .map(([name]) => name),
    ).toEqual(['SWEEP_MS']);
  });
});

describe('the environment example', () => {
  const assigned = fileText('.env.example')
    .split('\n')
    .flatMap((line) => /^([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? []);

  it('sets each required setting once, and no other', () => {
    const required = new Set(services.flatMap(({ schema }) => schema.required ?? []));

    expect([...assigned].sort()).toEqual([...required].sort());
  });
});
