import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';

let service: ChildProcess;
let exited: Promise<unknown>;

afterEach(async () => {
  service.kill('SIGKILL');
  await exited;
});

/** The collections that somebody asked for, of those that V8 tells of, as they come. */
function askedCollections(): string[] {
  const collections: string[] = [];
  service = spawn(
    process.execPath,
    ['--trace-gc', path.join(import.meta.dirname, 'idle-service.js')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  exited = once(service, 'exit');
  createInterface(service.stdout!).on('line', (line) => {
    if (!/ testing(?: |;|$)/.test(line)) return;
    collections.push(/Scavenge|Mark-Compact/.exec(line)?.[0] ?? line);
  });
  return collections;
}

describe('a service at rest', () => {
  it('collects its young objects and then, once, all that its start has left', async () => {
    const collections = askedCollections();
    await eventually(() => {
      expect(collections).toContain('Mark-Compact');
    });
    expect(collections).toEqual(['Scavenge', 'Mark-Compact']);
  });
});
