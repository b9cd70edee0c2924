import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { nodeArgumentsOf, readDevRequest } from '../../../packages/local-stack/src/dev-request.ts';
import { followFolders } from '../../../packages/local-stack/src/follow-sources.ts';
import { aFolder } from './stand-in.ts';

const complaint = (...args: string[]): string => {
  try {
    readDevRequest(args);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('what npm run dev is asked', () => {
  it('is one service, with a debugger on the usual port and everything logged', () => {
    const request = readDevRequest(['api'])!;

    expect(request).toEqual({
      service: 'api',
      inspectPort: 9_229,
      waitForDebugger: false,
      logLevel: 'debug',
    });
    expect(nodeArgumentsOf(request)).toEqual(['--inspect=127.0.0.1:9229']);
  });

  it('may be more', () => {
    const request = readDevRequest(['billing', '--inspect', '0', '--wait', '--log', 'info'])!;

    expect(request.logLevel).toBe('info');
    expect(nodeArgumentsOf(request)).toEqual(['--inspect-brk=127.0.0.1:0']);
  });

  it.each([['--help'], ['-h']])('is how it is used: %s', (option) => {
    expect(readDevRequest([option])).toBeUndefined();
  });

  it.each([
    [[], 'Name the service to work on.'],
    [['apo'], 'There is no service "apo"'],
    [['video-workr'], 'did you mean "video-worker"?'],
    [['api', 'billing'], 'There is no service "api billing"'],
    [['api', '--inspect', 'x'], '--inspect must be a whole number from 0 to 65535; got "x".'],
    [['api', '--nonsense'], '--nonsense'],
  ])('is refused with its usage: %p', (args, expected) => {
    expect(complaint(...args)).toContain(expected);
    expect(complaint(...args)).toContain('npm run dev -- SERVICE');
  });
});

describe('following folders', () => {
  const cleanUps: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  it('calls once for what was saved meanwhile, never twice at once, and no more when it is over', async () => {
    const place = aFolder();
    cleanUps.push(place.remove);
    mkdirSync(path.join(place.folder, 'deep'));
    const save = (name: string): void => {
      // As many editors do it.
      writeFileSync(path.join(place.folder, 'unsaved'), String(Math.random()));
      renameSync(path.join(place.folder, 'unsaved'), path.join(place.folder, name));
    };
    const calls: string[] = [];
    let go: () => void = () => undefined;
    const missing = path.join(place.folder, 'left behind', 'src');
    const stop = followFolders([missing, place.folder], async (file) => {
      calls.push(file);
      await new Promise<void>((resolve) => {
        go = resolve;
      });
    });
    cleanUps.push(() => {
      go();
    });

    save('notes.txt');
    save('deep/one.ts');
    await eventually(() => {
      expect(calls).toEqual(['one.ts']);
    });
    save('deep/one.ts');
    save('deep/one.ts');
    const first = go;
    await eventually(() => {
      first();
      expect(calls).toEqual(['one.ts', 'one.ts']);
    });
    const stopped = stop();
    save('four.ts');
    go();
    await stopped;

    expect(calls).toEqual(['one.ts', 'one.ts']);
  });
});
