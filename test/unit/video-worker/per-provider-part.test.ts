import { describe, expect, it } from '@jest/globals';
import { eventually, recordingLog } from '@gateway/testing';
import { perProviderPart } from '../../../services/video-worker/src/adapters/per-provider-part.ts';

describe('work for each provider', () => {
  it('goes on for the others while one hangs, and is told to end', async () => {
    const rounds = { hanging: 0, quick: 0 };
    const part = perProviderPart({
      name: 'work',
      everyMs: 1,
      log: recordingLog(),
      providers: () => ['hanging', 'quick'],
      work: async (provider, signal) => {
        rounds[provider as 'quick'] += 1;
        if (provider === 'hanging') {
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve);
          });
        }
      },
    });

    await part.start?.();
    await eventually(() => {
      expect(rounds.quick).toBeGreaterThan(2);
    });
    await part.stop();

    expect(rounds.hanging).toBe(1);
    const { quick } = rounds;
    await new Promise(setImmediate);
    expect(rounds.quick).toBe(quick);
  });

  it('begins again after a failure, which it logs, and leaves out a provider that is not any more', async () => {
    const log = recordingLog();
    const seen: string[] = [];
    const part = perProviderPart({
      name: 'work',
      everyMs: 1,
      log,
      providers: () => (seen.length < 3 ? ['one'] : ['other']),
      work: (provider) => {
        seen.push(provider);
        return Promise.reject(new Error('no'));
      },
    });

    await part.start?.();
    await eventually(() => {
      expect(seen.length).toBeGreaterThan(4);
    });
    await part.stop();

    expect(new Set(seen.slice(3))).toEqual(new Set(['other']));
    expect(log.lines[0]).toMatchObject({
      message: 'periodic work failed',
      fields: { work: 'work', provider: 'one' },
    });
  });
});
