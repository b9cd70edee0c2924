import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { call, type CallOutcome } from '../chaos/customer.ts';
import { readVendorTasks } from '../chaos/checks/evidence.ts';
import { chaosEnvironment } from '../chaos/run.ts';
import { startStack, type Stack, type StackCustomer } from '../chaos/stack.ts';
import { closedAddress } from '../contracts/scripted-vendor.ts';

let stack: Stack;
let customer: StackCustomer;
/** Both replicas of the api. */
let replicas: readonly [string, string];
beforeAll(async () => {
  stack = await startStack({
    doubled: ['api', 'billing', 'video-worker', 'callback-dispatcher'],
    log: () => undefined,
    env: chaosEnvironment,
  });
  replicas = [stack.suite.urlOf('api'), stack.suite.urlOf('api-2')];
  customer = await stack.aCustomer(10_000_000);
});
afterAll(() => stack.stop());

interface NewKey {
  readonly id: string;
  readonly api_key: string;
}

async function newKey(...options: string[]): Promise<NewKey> {
  const { code, output } = await stack.admin(
    'key',
    'create',
    '--account',
    customer.accountId,
    '--name',
    'scale-out',
    '--json',
    ...options,
  );
  expect(code).toBe(0);
  return JSON.parse(output) as NewKey;
}

const statusOf = (response: CallOutcome): number | string =>
  response.kind === 'responded' ? response.status : response.kind;

async function listStatus(url: string, apiKey: string): Promise<number | string> {
  return statusOf(await call({ method: 'GET', url: `${url}/v1/videos?limit=1`, apiKey }));
}

const onBoth = (ask: (url: string) => Promise<number | string>): Promise<(number | string)[]> =>
  Promise.all(replicas.map((url) => ask(url)));

const say =
  (content: string, model = 'sandbox-chat') =>
  (url: string, apiKey = customer.apiKey): Promise<CallOutcome> =>
    call({
      method: 'POST',
      url: `${url}/v1/chat/completions`,
      apiKey,
      body: { model, messages: [{ role: 'user', content }] },
    });

/** Writes a configuration of the usual one, changed. */
async function reconfigure(change: (text: string) => string): Promise<void> {
  await writeFile(stack.configFile, change(await readFile(stack.configFile, 'utf8')));
}

async function modelsOf(url: string): Promise<string[]> {
  const response = await call({ method: 'GET', url: `${url}/v1/models`, apiKey: customer.apiKey });
  if (response.kind !== 'responded') throw new Error(response.kind);
  return (response.body as { data: { id: string }[] }).data.map(({ id }) => id);
}

const deadModel =
  (baseUrl: string) =>
  (text: string): string =>
    text.replace(
      '\nmodels:\n',
      `\n  dead: { kind: chat, base_url: "${baseUrl}/v1", api_key: "\${SANDBOX_API_KEY}" }\n\nmodels:\n  dead-model: { kind: text, max_output_tokens: 100, routes: [{ provider: dead, model: any }] }\n`,
    );

describe('two replicas of every service', () => {
  it('both refuse a key within five seconds of its revocation', async () => {
    const key = await newKey();
    expect(await onBoth((url) => listStatus(url, key.api_key))).toEqual([200, 200]);

    expect((await stack.admin('key', 'revoke', '--id', key.id)).code).toBe(0);

    await eventually(
      async () => {
        expect(await onBoth((url) => listStatus(url, key.api_key))).toEqual([401, 401]);
      },
      { withinMs: 5_000, everyMs: 100 },
    );
  });

  it('both begin nothing for a suspended account, and finish its running video', async () => {
    const suspended = await stack.aCustomer(1_000);
    const video = {
      model: 'sandbox-video',
      prompt: '[slow=6] a long afternoon',
      duration: 4,
      resolution: '480p',
    };
    const create = (url: string): Promise<CallOutcome> =>
      call({ method: 'POST', url: `${url}/v1/videos`, apiKey: suspended.apiKey, body: video });
    const begun = await create(replicas[0]);
    const id = begun.kind === 'responded' ? (begun.body as { id: string }).id : '';
    const stateOf = async (): Promise<unknown> => {
      const { rows } = await stack.database.pool.query(
        'SELECT t.status, h.state, t.billed_quota = h.charged_quota AS paid FROM task t JOIN hold h ON h.task_id = t.id WHERE t.id = $1',
        [id],
      );
      return rows[0];
    };
    await eventually(async () => {
      expect(await stateOf()).toMatchObject({ status: 'running' });
    });

    expect((await stack.admin('account', 'suspend', '--account', suspended.accountId)).code).toBe(
      0,
    );

    await eventually(
      async () => {
        expect(await onBoth(async (url) => statusOf(await create(url)))).toEqual([403, 403]);
        expect(
          await onBoth(async (url) => statusOf(await say('hello')(url, suspended.apiKey))),
        ).toEqual([403, 403]);
      },
      { withinMs: 5_000, everyMs: 100 },
    );
    await eventually(
      async () => {
        expect(await stateOf()).toEqual({ status: 'succeeded', state: 'closed', paid: true });
      },
      { withinMs: 30_000, everyMs: 200 },
    );
    expect(await onBoth((url) => listStatus(url, suspended.apiKey))).toEqual([200, 200]);
  });

  it('let a key make its requests a minute, counted together', async () => {
    const { api_key: apiKey } = await newKey('--requests-per-minute', '20');
    const statuses: (number | string)[] = [];
    for (let asked = 0; asked < 40; asked += 1) {
      statuses.push(await listStatus(replicas[asked % 2] as string, apiKey));
    }

    const allowed = statuses.filter((status) => status === 200).length;
    expect(allowed).toBeGreaterThan(0);
    expect(allowed).toBeLessThanOrEqual(20);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });

  it('take a changed configuration over, and share the slots that it gives a key', async () => {
    await reconfigure((text) =>
      text
        .replace(/concurrent_requests: \d+/, 'concurrent_requests: 3')
        .replace(
          'sandbox-chat:\n    kind: text',
          'sandbox-renamed: { kind: text, max_output_tokens: 9, routes: [{ provider: sandbox-chat, model: sandbox-chat }] }\n  sandbox-chat:\n    kind: text',
        ),
    );
    await eventually(
      async () => {
        for (const url of replicas) expect(await modelsOf(url)).toContain('sandbox-renamed');
      },
      { withinMs: 15_000, everyMs: 200 },
    );

    const [first, second] = replicas;
    const held = [first, second, first].map((url) =>
      say('[slow-first-byte=8] take your time')(url),
    );
    // Only when all three are under way: a quick one that came between would have had the place of
    // the third.
    await eventually(
      async () => {
        expect(await (await fetch(`${stack.suite.sandboxUrl}/control/text`)).json()).toMatchObject({
          active: 3,
        });
      },
      { withinMs: 5_000, everyMs: 100 },
    );
    expect(await onBoth(async (url) => statusOf(await say('quick')(url)))).toEqual([429, 429]);

    expect((await Promise.all(held)).map(statusOf)).toEqual([200, 200, 200]);
    await eventually(async () => {
      expect(await onBoth(async (url) => statusOf(await say('quick')(url)))).toEqual([200, 200]);
    });

    await reconfigure((text) =>
      text
        .replace('concurrent_requests: 3', 'concurrent_requests: 100')
        .replace('sandbox-renamed:', 'sandbox-widened:'),
    );
    await eventually(
      async () => {
        for (const url of replicas) expect(await modelsOf(url)).toContain('sandbox-widened');
      },
      { withinMs: 15_000, everyMs: 200 },
    );
  });

  it('both keep what they have when a new configuration is broken', async () => {
    const good = await readFile(stack.configFile, 'utf8');
    await writeFile(
      stack.configFile,
      good.replace('sandbox-widened:', 'sandbox-again:').replace('kind: text', 'kind: tekst'),
    );
    await eventually(
      async () => {
        for (const opsUrl of ['api', 'api-2'].map(stack.suite.opsUrlOf)) {
          expect(await (await fetch(`${opsUrl}/metrics`)).text()).toMatch(
            /^gateway_configuration_last_reload_successful(\{[^}]*\})? 0$/m,
          );
        }
      },
      { withinMs: 15_000, everyMs: 200 },
    );

    for (const url of replicas) {
      expect(await modelsOf(url)).toEqual(
        expect.arrayContaining(['sandbox-widened', 'sandbox-chat']),
      );
    }
    await writeFile(stack.configFile, good);
  });

  it('know together that an upstream fails', async () => {
    await reconfigure(deadModel(await closedAddress()));
    await eventually(
      async () => {
        for (const url of replicas) expect(await modelsOf(url)).toContain('dead-model');
      },
      { withinMs: 15_000, everyMs: 200 },
    );
    const [first, second] = replicas;
    const codeAt = async (url: string): Promise<string | undefined> => {
      const response = await say('hello', 'dead-model')(url);
      return response.kind === 'responded'
        ? (response.body as { error: { code: string } }).error.code
        : response.kind;
    };

    // The first replica learns it the hard way; the second has never called that upstream.
    for (let failures = 0; failures < 5 && (await codeAt(first)) !== 'upstream_unavailable';) {
      failures += 1;
    }

    await eventually(async () => {
      expect(await codeAt(first)).toBe('upstream_unavailable');
    });
    await eventually(
      async () => {
        expect(await codeAt(second)).toBe('upstream_unavailable');
      },
      { withinMs: 3_000, everyMs: 100 },
    );
  });

  it('render each task once, whichever replica took it', async () => {
    const creations = await Promise.all(
      Array.from({ length: 16 }, (_, number) =>
        call({
          ...customer,
          method: 'POST',
          url: `${replicas[number % 2] as string}/v1/videos`,
          body: {
            model: 'sandbox-video',
            prompt: `replicas ${number}`,
            duration: 4,
            resolution: '480p',
          },
        }),
      ),
    );
    expect(creations.map(statusOf)).toEqual(creations.map(() => 200));
    const ids = creations
      .map((response) =>
        response.kind === 'responded' ? (response.body as { id: string }).id : '',
      )
      .sort();

    await eventually(
      async () => {
        const { rows } = await stack.database.pool.query<{ status: string }>(
          'SELECT status FROM task WHERE id = ANY($1)',
          [ids],
        );
        expect(rows.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'));
      },
      { withinMs: 60_000, everyMs: 250 },
    );
    expect(
      (await readVendorTasks(stack.suite.sandboxUrl))
        .map((one) => one.safety_identifier)
        .filter((id) => ids.includes(id ?? ''))
        .sort(),
    ).toEqual(ids);
    await eventually(
      async () => {
        expect((await stack.admin('billing', 'verify', '--grace', '0')).code).toBe(0);
      },
      { withinMs: 20_000, everyMs: 500 },
    );
  });
});
