import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createReceivers } from '../../simulation/actors/receiver.ts';
import { beginLife, connectionLost } from '../../simulation/world/life.ts';
import { callAcross, type Weather } from '../../simulation/world/network.ts';
import { createWorld, type World } from '../../simulation/world/world.ts';

const repeating: Weather = { lostBefore: 0, lostAfter: 0, repeated: 1 };
const mood = { error: 0, busy: 0, hang: 0, reset: 0, redirect: 0, gone: 0 };

describe('a network that repeats', () => {
  let world: World;

  beforeEach(() => {
    world = createWorld(1);
  });

  afterEach(() => {
    world.end();
  });

  /** Calls a replica whose responses are these, in turn, and lets everything happen. */
  async function call(
    responses: readonly (() => Promise<number>)[],
    { weather = repeating, isRepeatable = true } = {},
  ): Promise<{ served: number; told: PromiseSettledResult<number> }> {
    const life = beginLife(world, 'the other side');
    let served = 0;
    const serve = (): Promise<number> => {
      served += 1;
      return responses[served - 1]?.() ?? Promise.reject(new Error('not expected'));
    };
    const options = { weather, timeoutMs: 60_000, isRepeatable };
    const called = Promise.allSettled([callAcross(world, () => ({ life, serve }), options)]);
    await world.runUntil(() => false, 120_000);
    return { served, told: (await called)[0] };
  }

  const says = (number: number) => () => Promise.resolve(number);
  const breaks = () => Promise.reject(connectionLost('ECONNRESET'));

  it('has a request served twice, and its sender gets the first response', async () => {
    const slow = () => world.pause(50_000).then(() => 1);

    expect(await call([slow, says(2)])).toEqual({
      served: 2,
      told: { status: 'fulfilled', value: 2 },
    });
  });

  it('takes a refusal for a response, and a broken connection for none', async () => {
    const refuses = () => Promise.reject(new Error('refused'));

    expect(await call([refuses, says(2)])).toMatchObject({ told: { status: 'rejected' } });
    expect(await call([breaks, says(2)])).toMatchObject({ told: { value: 2 } });
    expect(await call([breaks, breaks])).toMatchObject({
      told: { reason: { code: 'ECONNRESET' } },
    });
  });

  it('leaves alone what nobody may send again, and all requests where it does not repeat', async () => {
    expect(await call([says(1)], { isRepeatable: false })).toMatchObject({ served: 1 });
    const weather = { lostBefore: 0, lostAfter: 0 };
    expect(await call([says(1)], { weather })).toMatchObject({ served: 1 });
  });

  it('brings a push twice, of which one counts', async () => {
    const { arrivals, post } = createReceivers(world, repeating, mood);
    const posted = post({
      url: 'https://one.example',
      headers: { 'x-gateway-task': 'a', 'x-gateway-sequence': '1', 'x-gateway-attempt': '1' },
      body: Buffer.from('{"id":"a","status":"queued"}'),
    });
    await world.runUntil(() => false, 60_000);

    expect(await posted).toMatchObject({ kind: 'responded', status: 200 });
    expect(arrivals.map(({ isSpare }) => isSpare)).toEqual([false, true]);
  });
});
