import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import process from 'node:process';
import { expect, it } from '@jest/globals';
import { standBehind } from '../../../packages/local-stack/src/stand-behind.ts';

it('a process that stands behind others is the last to get a processor, and its session too', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const pid = child.pid ?? NaN;
  const ended = once(child, 'exit');
  try {
    standBehind(child.pid);

    const session = `/proc/${pid}/autogroup`;
    expect(getPriority(pid)).toBe(15);
    expect(existsSync(session) ? readFileSync(session, 'utf8') : 'nice 15').toContain('nice 15');
  } finally {
    child.stdin.end();
    await ended;
  }
});
