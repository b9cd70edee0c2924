import { describe, expect, it } from '@jest/globals';
import { startAll, type Part } from '@gateway/runtime';

interface Story {
  readonly told: string[];
  readonly part: (name: string, fails?: { start?: Error; stop?: Error }) => Part;
}

/** Parts that tell what was done with them, each a little later than it was asked. */
function aStory(): Story {
  const told: string[] = [];
  const tell = async (what: string, error: Error | undefined): Promise<void> => {
    await new Promise(setImmediate);
    told.push(what);
    if (error !== undefined) throw error;
  };
  return {
    told,
    part: (name, fails = {}) => ({
      name,
      start: () => tell(`start ${name}`, fails.start),
      stop: () => tell(`stop ${name}`, fails.stop),
    }),
  };
}

describe('a service of several parts', () => {
  it('starts them in order, one after the other, and stops them in reverse', async () => {
    const { told, part } = aStory();
    const stop = await startAll([part('database'), part('queue'), part('http')]);
    expect(told).toEqual(['start database', 'start queue', 'start http']);

    await stop();
    expect(told.slice(3)).toEqual(['stop http', 'stop queue', 'stop database']);
  });

  it('stops a part that needs no start', async () => {
    const { told, part } = aStory();
    const { name, stop: stopPool } = part('pool');
    const stop = await startAll([{ name, stop: stopPool }, part('http')]);
    await stop();

    expect(told).toEqual(['start http', 'stop http', 'stop pool']);
  });

  it('stops what was started, the failed one first, when a start fails, and says why', async () => {
    const { told, part } = aStory();
    const failure = new Error('port 80 is in use');

    await expect(
      startAll([part('database'), part('http', { start: failure }), part('reconciler')]),
    ).rejects.toBe(failure);
    expect(told).toEqual(['start database', 'start http', 'stop http', 'stop database']);
  });

  it('says why the start failed also when a stop fails afterwards', async () => {
    const { told, part } = aStory();
    const failure = new Error('port 80 is in use');

    await expect(
      startAll([
        part('database', { stop: new Error('stuck') }),
        part('http', { start: failure, stop: new Error('stuck') }),
      ]),
    ).rejects.toBe(failure);
    expect(told).toContain('stop database');
  });

  it('stops every part although some refuse, and tells all refusals', async () => {
    const { told, part } = aStory();
    const [first, second] = [new Error('http is stuck'), new Error('database is stuck')];
    const stop = await startAll([
      part('database', { stop: second }),
      part('queue'),
      part('http', { stop: first }),
    ]);

    await expect(stop()).rejects.toMatchObject({ errors: [first, second] });
    expect(told.slice(3)).toEqual(['stop http', 'stop queue', 'stop database']);
  });

  it('stops each part once, however often it is asked', async () => {
    const { told, part } = aStory();
    const stop = await startAll([part('http')]);
    await Promise.all([stop(), stop()]);
    await stop();

    expect(told).toEqual(['start http', 'stop http']);
  });
});
