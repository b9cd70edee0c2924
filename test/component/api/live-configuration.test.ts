import { mkdtemp, readlink, rename, rm, symlink, unlink, writeFile, mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openConfiguration } from '@gateway/runtime';
import { eventually, scrapeAnew } from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import {
  asMessages,
  behave,
  hello,
  messagesCompletion,
  messagesEvents,
  openTextStage,
  openUpstream,
  post,
  type TextStage,
  type Upstream,
} from './text-stage.ts';

let folder: string;
let stage: TextStage;
let upstream: Upstream;
let apiKey: string;
/** Held back until the test lets it go. */
let finish: (() => void) | undefined;

const yamlOf = (models: string, requestsPerMinute = 600): string => `
providers:
  m: { kind: messages, base_url: "${upstream.url}", api_key_file: "${folder}/key" }
models:
${models}
limits:
  default_key: { requests_per_minute: ${requestsPerMinute} }
`;
const first = '  first: { kind: text, routes: [{ provider: m, model: up-m }] }';
const second = '  second: { kind: text, routes: [{ provider: m, model: up-m }] }';

/**
 * As a ConfigMap mount does it: a new folder, and one rename of the link `..data` that the file is
 * reached through.
 */
let swaps = 0;
async function mount(text: string): Promise<void> {
  const version = `..version-${(swaps += 1)}`;
  await mkdir(path.join(folder, version));
  await writeFile(path.join(folder, version, 'gateway.yaml'), text);
  await symlink(version, path.join(folder, '..next'));
  await rename(path.join(folder, '..next'), path.join(folder, '..data'));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-live-'));
  upstream = await openUpstream((request) => {
    if (!JSON.stringify(request.json).includes('hold on')) {
      behave(request);
      return;
    }
    request.response.writeHead(200, { 'content-type': 'text/event-stream' });
    request.response.write(messagesEvents.slice(0, 3).join(''));
    finish = () => {
      request.response.end(messagesEvents.slice(3).join(''));
    };
  });
  await writeFile(path.join(folder, 'key'), 'vendor-secret\n');
  await mount(yamlOf(first));
  await symlink('..data/gateway.yaml', path.join(folder, 'gateway.yaml'));
  stage = await openTextStage({
    configuration: openConfiguration({
      path: path.join(folder, 'gateway.yaml'),
      environment: {},
      everyMs: 50,
      settleMs: 20,
      videoVendors,
    }),
  });
  ({ apiKey } = await stage.aKey());
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (model: string, more: object = {}) =>
  post(`${stage.url}/v1/messages`, {
    headers: asMessages(apiKey),
    body: { ...hello(model), ...more },
  });
const modelIds = async (): Promise<string[]> => {
  const { data } = (await (
    await fetch(`${stage.url}/v1/models`, { headers: asMessages(apiKey) })
  ).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
};
const metric = async (name: string): Promise<string> =>
  (await scrapeAnew(stage.opsUrl)).split('\n').find((line) => line.startsWith(name)) ?? 'none';
const lines = (message: RegExp) => stage.log.lines.filter((line) => message.test(line.message));

describe('a running api whose configuration changes', () => {
  it('takes a new model over while a request goes on, and keeps to the old version for that one', async () => {
    const running = ask('first', {
      stream: true,
      messages: [{ role: 'user', content: 'hold on' }],
    });
    await running.status;
    expect(await ask('second').status).toBe(404);
    const before = await metric('gateway_configuration_info');

    await mount(yamlOf(second));
    await eventually(async () => {
      expect(await ask('second').status).toBe(200);
    });
    finish?.();

    expect(await running.body).toContain('message_stop');
    expect(await ask('first').status).toBe(404);
    expect(await modelIds()).toEqual(['second']);
    expect(await metric('gateway_configuration_info')).not.toBe(before);
    expect(lines(/configuration applied/)[0]?.fields).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{12}$/),
      loadedAt: expect.stringMatching(/Z$/),
    });
  });

  it('serves nobody with a model that its file says has ended', async () => {
    await mount(yamlOf(`${second}\n${first.replace('{ kind', '{ retires_at: 2026-01-31, kind')}`));
    await eventually(async () => {
      expect(await metric('gateway_model_retires_timestamp_seconds')).toMatch(
        /model="first".* 1769817600$/,
      );
    });

    const refused = ask('first');

    expect(await refused.status).toBe(404);
    expect(JSON.parse(await refused.body)).toMatchObject({
      error: { message: expect.stringMatching(/"first" was retired on 2026-01-31; .*: second$/) },
    });
    expect(await modelIds()).toEqual(['second']);
    await mount(yamlOf(second));
  });

  it('refuses a broken version with all its problems, and goes on with the one before', async () => {
    await mount(
      yamlOf(
        `${second}\n  third: { kind: text, routes: [{ provider: nobody, model: x }] }\n  "v2.5": { kind: txt }`,
      ),
    );
    const refusal = await eventually(() => {
      const [line] = lines(/refused/);
      if (line === undefined) throw new Error('not refused yet');
      return Promise.resolve(line);
    });

    expect(refusal.fields['problems']).toEqual([
      expect.stringMatching(/gateway\.yaml:6 .*nobody/),
      expect.stringMatching(/gateway\.yaml:7 models\.v2\.5\.kind/),
    ]);
    expect(JSON.parse(await ask('second').body)).toEqual({
      ...messagesCompletion,
      model: 'second',
    });
    expect(await metric('gateway_configuration_reload_failures_total')).toMatch(/ 1$/);
    expect(await metric('gateway_configuration_last_reload_successful')).toMatch(/ 0$/);

    await mount(yamlOf(`${first}\n${second}`, 777));
    await eventually(async () => {
      expect(await ask('first').status).toBe(200);
    });
    expect(await metric('gateway_configuration_last_reload_successful')).toMatch(/ 1$/);
    expect((await ask('first').headers)['x-ratelimit-limit']).toBe('777');
    expect(lines(/refused/)).toHaveLength(1);
  });

  it('takes a new key from its file', async () => {
    await writeFile(path.join(folder, 'key.new'), 'another-secret\n');
    await rename(path.join(folder, 'key.new'), path.join(folder, 'key'));

    await eventually(async () => {
      await ask('first').body;
      expect(upstream.received.at(-1)?.headers['x-api-key']).toBe('another-secret');
    });
  });

  it('goes on with what it has when the file is gone for a moment', async () => {
    const target = await readlink(path.join(folder, '..data'));
    await unlink(path.join(folder, '..data'));
    await eventually(() => {
      expect(lines(/refused/)).toHaveLength(2);
      return Promise.resolve();
    });

    expect(await ask('first').status).not.toBe(404);
    await symlink(target, path.join(folder, '..data'));
    await eventually(async () => {
      expect(await metric('gateway_configuration_last_reload_successful')).toMatch(/ 1$/);
    });
  });
});
