/** @workers 3: it promises no times. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { freePort } from '@gateway/local-stack';
import { eventually } from '@gateway/testing';
import { openBucketUnderTest, type BucketAddress } from '../../contracts/bucket-under-test.ts';
import { itKeepsTheStorageContract } from '../../contracts/storage-contract.ts';
import { root } from '../../unit/deploy/suite.ts';

const server = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const run = promisify(execFile);

/** As VERSITYGW_BIN names it, or where `go install` puts programs; undefined where there is none. */
async function findServer(): Promise<string | undefined> {
  const named = process.env['VERSITYGW_BIN'];
  if (named !== undefined) return named;
  const { stdout } = await run('go', ['env', 'GOPATH']).catch(() => ({ stdout: '' }));
  const installed = path.join(stdout.trim(), 'bin', 'versitygw');
  return existsSync(installed) ? installed : undefined;
}

const program = await findServer();

interface RunningServer {
  readonly address: BucketAddress;
  readonly stop: () => Promise<void>;
}

/** On a folder whose subfolders are its buckets. */
async function startServer(command: string): Promise<RunningServer> {
  // Not in memory: it keeps what it knows of an object in extended attributes of the file.
  await mkdir(path.join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(path.join(root, '.cache', 'foreign-bucket-'));
  const address = {
    endpoint: `http://127.0.0.1:${await freePort()}`,
    bucket: 'media',
    region: 'us-east-1',
    accessKeyId: 'gateway',
    secretAccessKey: randomBytes(16).toString('hex'),
  };
  await mkdir(path.join(folder, address.bucket));
  const child = spawn(command, ['--port', new URL(address.endpoint).host, 'posix', folder], {
    env: {
      ...process.env,
      ROOT_ACCESS_KEY: address.accessKeyId,
      ROOT_SECRET_KEY: address.secretAccessKey,
    },
    stdio: 'ignore',
  });
  await eventually(() => fetch(address.endpoint), { withinMs: 20_000, everyMs: 100 });
  return {
    address,
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

if (program === undefined) {
  describe(`a bucket of versitygw (left out: "go install ${server}" brings it)`, () => {
    it.skip('is a media storage', () => undefined);
  });
} else {
  let running: RunningServer;
  beforeAll(async () => {
    running = await startServer(program);
  });
  afterAll(() => running.stop());

  itKeepsTheStorageContract('a bucket of versitygw', () => openBucketUnderTest(running.address));
}
