import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Profiler } from 'node:inspector';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collecting, native, sharesOf } from '../../../bench/src/text/profile.ts';
import { partOfRequest } from '../../../bench/src/text/request-parts.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'profile-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Two modules in one file, at its lines 1 and 3. */
const bundle = [
  '// node_modules/undici/lib/dispatcher/client.js',
  'function dispatch() {}',
  '// services/api/dist/text/route/compose-call.js',
  'function compose() {}',
].join('\n');

interface Frame {
  readonly name: string;
  readonly url?: string;
  readonly line?: number;
  readonly calls?: readonly number[];
}

function profileOf(
  frames: readonly Frame[],
  times: readonly (readonly [id: number, microseconds: number])[],
): Profiler.Profile {
  return {
    startTime: 0,
    endTime: 0,
    nodes: frames.map(({ name, url = '', line = 0, calls = [] }, id) => ({
      id,
      callFrame: { functionName: name, scriptId: '0', url, lineNumber: line, columnNumber: 0 },
      children: [...calls],
    })),
    samples: times.map(([id]) => id),
    timeDeltas: times.map(([, microseconds]) => microseconds),
  };
}

describe('the shares of a profile', () => {
  it('are those of whoever Node worked for, without idle time and the profiler', () => {
    const file = path.join(folder, 'container.js');
    writeFileSync(file, bundle);
    const url = pathToFileURL(file).href;
    const frames: Frame[] = [
      { name: '(root)', calls: [1, 4, 6, 7, 8, 9] },
      { name: 'dispatch', url, line: 1, calls: [2] },
      { name: 'write', url: 'node:net', calls: [3] },
      { name: 'writev' },
      { name: 'compose', url, line: 3, calls: [5] },
      { name: 'indexOf', url: 'node:buffer' },
      { name: '(garbage collector)' },
      { name: '(idle)' },
      { name: '(program)' },
      { name: 'start', url: pathToFileURL(path.join(folder, 'profiler.js')).href },
    ];
    writeFileSync(path.join(folder, 'profiler.js'), '');
    const times = [
      [1, 100],
      [3, 300],
      [4, 50],
      [5, 150],
      [6, 250],
      [7, 9_000],
      [8, 100],
      [0, 50],
      [9, 9_000],
    ] as const;

    expect(Object.fromEntries(sharesOf(profileOf(frames, times), partOfRequest))).toEqual({
      'undici towards the upstream': 0.4,
      'route and call': 0.2,
      [collecting]: 0.25,
      [native]: 0.15,
    });
  });
});
