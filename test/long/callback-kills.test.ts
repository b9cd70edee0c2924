import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@gateway/local-stack';
import { asService, eventually, openReceiver, testRedis } from '@gateway/testing';
import fc from 'fast-check';
import {
  mediaTokenKeys,
  openStage,
  publicBaseUrl,
  type Stage,
} from '../component/callback-dispatcher-stage.ts';
import { ordersHold, play, taskStories } from '../component/callback-story.ts';

const root = path.resolve(import.meta.dirname, '../..');
const preload = pathToFileURL(path.join(import.meta.dirname, 'die-in-post.js')).href;

interface Dispatcher {
  readonly process: ChildProcess;
  /** Everything that it printed. */
  log(): string;
}

let stage: Stage;
const dispatchers: Dispatcher[] = [];
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
afterEach(async () => {
  for (const { process: child } of dispatchers.splice(0)) await end(child);
});

/**
 * A dispatcher process that is ready. Each has a queue of its own: only the tables tie it to the
 * others.
 */
async function launch(settings: Readonly<Record<string, string>> = {}): Promise<Dispatcher> {
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(root, 'dist/callback-dispatcher.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: asService(stage.test.url, 'callback-dispatcher'),
      REDIS_URL: testRedis().url,
      QUEUE_PREFIX: testRedis().prefix,
      HOST: '127.0.0.1',
      OPS_PORT: String(port),
      LOG_LEVEL: 'debug',
      PUBLIC_BASE_URL: publicBaseUrl,
      MEDIA_TOKEN_KEYS: mediaTokenKeys,
      CALLBACK_ALLOW_CIDRS: '127.0.0.1/32',
      CALLBACK_ALLOW_HTTP: 'true',
      CALLBACK_RETRY_DELAYS_MS: '20,20,20,20,20',
      CALLBACK_SWEEP_MS: '50',
      CALLBACK_COOL_DOWN_MS: '100',
      CALLBACK_TIMEOUT_MS: '1000',
      ...settings,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  const dispatcher = { process: child, log: () => printed };
  dispatchers.push(dispatcher);
  await eventually(
    async () => {
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    },
    { withinMs: 30_000 },
  );
  return dispatcher;
}

const mortal = (post: number): Record<string, string> => ({
  NODE_OPTIONS: `--import ${preload}`,
  DIE_IN_POST: String(post),
});
const isOver = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (isOver(child)) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

describe('T-ORD: two dispatcher processes of which one is killed in the middle of a POST', () => {
  it('deliver every last status, never an older one after a newer one, under ids that stay', async () => {
    // Early posts: a busy machine may leave most of the later ones to the other dispatcher.
    await fc.assert(
      fc.asyncProperty(
        taskStories({ tasks: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (stories, post) => {
          const [survivor, victim] = await Promise.all([launch(), launch(mortal(post))]);

          const played = await play(stage, stories, { withinMs: 60_000 });

          for (const task of played) ordersHold(task);
          await eventually(() => {
            expect(victim.process.signalCode).toBe('SIGKILL');
          });
          expect(survivor.process.signalCode).toBeNull();
          await end(survivor.process);
        },
      ),
      { seed: 7, numRuns: 2, endOnFailure: true },
    );
  });
});

describe('T-LOST: a dispatcher that is killed in the middle of a POST', () => {
  it('leaves a push that arrives again within ninety seconds, under the same id', async () => {
    const victim = await launch(mortal(1));
    const receiver = await openReceiver(({ headers }, response) => {
      if (headers['x-gateway-event'] !== 'video.status_changed' || isOver(victim.process)) {
        return false;
      }
      victim.process.once('exit', () => {
        response.end();
      }); // nobody is there to read it
      return true;
    });
    const { id } = await stage.createQuietly(receiver.url);
    await eventually(() => {
      expect(victim.process.signalCode).toBe('SIGKILL');
    });
    // of the push nothing is noted
    expect(await stage.attemptsOf(id)).toMatchObject([{ sequence: null, class: 'success' }]);

    await launch();
    await eventually(
      async () => {
        expect(await stage.pushStates(id)).toEqual(['delivered']);
      },
      { withinMs: 90_000 },
    );

    const [first, second] = receiver.pushes();
    expect(receiver.pushes()).toHaveLength(2);
    expect(second!.at - first!.at).toBeLessThan(90_000);
    expect([second!.headers['webhook-id'], second!.raw]).toEqual([
      first!.headers['webhook-id'],
      first!.raw,
    ]);
    await receiver.close();
  });
});

describe('T-LOG: what a dispatcher prints about challenges, pushes and failures', () => {
  it('holds no media token, no callback secret, no signature and no challenge', async () => {
    const { log } = await launch({ LOG_FORMAT: 'json' });
    let refusals = 2;
    // What it returns is in the delivery log: all that it was sent, headers included.
    const receiver = await openReceiver(({ headers, body }, response) => {
      if (headers['x-gateway-event'] !== 'video.status_changed' || refusals === 0) return false;
      refusals -= 1;
      response.writeHead(500).end(JSON.stringify({ headers, body: body.toString() }));
      return true;
    });
    const wrong = await openReceiver(({ body }, response) => {
      response.end(`<html>${body.toString()}`);
      return true;
    });
    const queued = await stage.createQuietly(`${receiver.url}/hook?token=of-the-receiver`);
    await stage.move(await stage.move(queued, 'accepted', { wake: false }), 'stored', {
      wake: false,
    });
    const refused = await stage.createQuietly(wrong.url);
    await eventually(async () => {
      expect((await stage.pushStates(queued.id)).at(-1)).toBe('delivered');
      expect(await stage.callbackOf(refused.id)).toMatchObject({ state: 'stopped' });
      expect(log()).toContain('callback stopped');
    });

    const sent = [...receiver.received, ...wrong.received];
    const challenges = sent
      .map(({ body }) => (JSON.parse(body.toString()) as { challenge?: string }).challenge)
      .filter((challenge) => challenge !== undefined);
    const signatures = sent
      .flatMap(({ headers }) => String(headers['webhook-signature']).split(' '))
      .map((signature) => signature.replace('v1,', ''));
    const tokens = sent.flatMap(({ body }) =>
      [...body.toString().matchAll(/token=([^"&]+)/g)].map(([, token]) => token!),
    );
    expect([challenges.length, signatures.length > 3, tokens.length > 0]).toEqual([2, true, true]);
    const secrets = [
      ...challenges,
      ...signatures,
      ...tokens,
      stage.callbackSecret.replace('whsec_', ''),
      mediaTokenKeys.replace('k1:', ''),
      'of-the-receiver',
    ];
    expect(log().match(/"message":"callback attempt"/g)!.length).toBeGreaterThanOrEqual(4);
    expect(secrets.filter((secret) => log().includes(secret))).toEqual([]);
    const kept = JSON.stringify([
      await stage.attemptsOf(queued.id),
      await stage.attemptsOf(refused.id),
    ]);
    expect([...challenges, ...tokens].filter((secret) => kept.includes(secret))).toEqual([]);
    for (const peer of [receiver, wrong]) await peer.close();
  });
});
