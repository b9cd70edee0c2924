import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { openStage, type Stage } from '../component/callback-dispatcher-stage.ts';

let stage: Stage;
let folder: string;
beforeAll(async () => {
  stage = await openStage();
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-receiver-'));
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

describe('T-SIG: the receiver in docs/callbacks.md', () => {
  it('takes the challenge and every push, and refuses what is not signed', async () => {
    const page = await readFile(
      path.resolve(import.meta.dirname, '../../docs/callbacks.md'),
      'utf8',
    );
    const [, source = ''] = /```js receiver\n([^`]*(?:`[^`]+`[^`]*)*?)\n```/.exec(page) ?? [];
    const file = path.join(folder, 'receiver.mjs');
    await writeFile(file, source);
    const child = spawn(process.execPath, [file], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { CALLBACK_SECRET: stage.callbackSecret, PORT: '0' },
    });
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    try {
      const port = await eventually(() => {
        const said = /^listening on (\d+)$/.exec(lines[0] ?? '')?.[1];
        if (said === undefined) throw new Error('the receiver does not listen');
        return said;
      });
      await stage.start();
      const queued = await stage.create(`http://127.0.0.1:${port}/`);
      await eventually(() => {
        expect(lines).toContain(`${queued.id} is queued`);
      });
      await stage.move(queued, 'accepted');

      await eventually(() => {
        expect(lines).toContain(`${queued.id} is running`);
      });
      expect(
        (
          await fetch(`http://127.0.0.1:${port}/`, {
            method: 'POST',
            body: '{"type":"url_verification","challenge":"x"}',
          })
        ).status,
      ).toBe(401);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
