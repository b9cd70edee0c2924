import { GatewayError } from '@gateway/domain';
import type { Ledger } from '@gateway/store';
import type { Dice } from '../../../chaos/random.ts';
import { callAcross } from '../../world/network.ts';
import type { ApiFace } from '../api.ts';
import type { Promised } from '../settings.ts';
import type { Replica, Surroundings } from '../surroundings.ts';
import { mayWrite, type Wish } from './request.ts';
import type { TextAccount, TextExperience, TextWorld } from './world.ts';

/** Nobody waits longer for a completion. */
const longestMs = 600_000;

interface Bench {
  readonly text: TextWorld;
  readonly apis: readonly Replica<ApiFace>[];
  readonly topUp: Ledger['topUp'];
}

/** A few clients of each account, each with a few requests, one after the other. */
export function askForText(surroundings: Surroundings, bench: Bench): void {
  const { world, promised } = surroundings;
  const { dice } = world;
  let number = 0;
  const live = async (account: TextAccount): Promise<void> => {
    await world.pause(dice.between(0, promised.ordersMs / 2));
    for (let left = dice.between(4, 10); left > 0; left -= 1) {
      number += 1;
      await askOnce(surroundings, bench, { account, wish: wishOf(dice, account, number) });
      await world.pause(dice.between(...pausesMs(promised)));
    }
    bench.text.waiting -= 1;
  };
  for (const account of bench.text.accounts) {
    const clients = dice.between(2, 3);
    bench.text.waiting += clients;
    for (let client = 0; client < clients; client += 1) void live(account);
  }
}

const pausesMs = ({ ordersMs }: Promised): readonly [number, number] => [0, ordersMs / 10];

function wishOf(dice: Dice, account: TextAccount, number: number): Wish {
  const estimate = dice.between(20, 2_000);
  const maxTokens = dice.chance(0.5) ? undefined : dice.pick([100, 300]);
  const durationMs = durationOf(dice);
  return {
    number,
    accountId: account.id,
    estimate,
    prompt: Math.round(estimate * (0.85 + dice.roll() * 0.3)),
    maxTokens,
    // Some are longer than what is set aside for them.
    writes: Math.min(dice.chance(0.15) ? 2_000 : dice.between(1, 500), mayWrite({ maxTokens })),
    durationMs,
    saysEarly: dice.chance(0.5),
    leavesAfterMs: dice.chance(0.15) ? dice.between(1, durationMs) : longestMs,
  };
}

function durationOf(dice: Dice): number {
  const rolled = dice.roll();
  if (rolled < 0.5) return dice.between(100, 900);
  return rolled < 0.85 ? dice.between(1_500, 20_000) : dice.between(20_000, 150_000);
}

async function askOnce(
  { world, weather }: Surroundings,
  { text, apis, topUp }: Bench,
  { account, wish }: { readonly account: TextAccount; readonly wish: Wish },
): Promise<void> {
  const { dice, trace } = world;
  const experience: TextExperience = { wish, told: 'nothing', code: undefined };
  text.experiences.push(experience);
  const api = dice.pick(apis);
  const leaving = new AbortController();
  try {
    const serve = (): Promise<unknown> => {
      const { text: lane } = api.face();
      if (lane === undefined) throw new Error('there is no text in this world');
      return lane.complete(wish, leaving.signal);
    };
    await callAcross(world, () => ({ life: api.life(), serve }), {
      weather,
      timeoutMs: wish.leavesAfterMs,
      // A completion has no key: a second one would be another, and be charged.
      isRepeatable: false,
    });
    experience.told = 'the completion';
    trace.say(`text ${wish.number} is complete`);
  } catch (error) {
    leaving.abort();
    trace.say(
      `text ${wish.number}: ${GatewayError.is(error) ? error.code : (error as Error).message}`,
    );
    if (!GatewayError.is(error)) return;
    experience.told = error.code === 'upstream_error' ? 'a failure' : 'a refusal';
    experience.code = error.code;
    if (error.code !== 'insufficient_quota' || !dice.chance(0.5)) return;
    const quota = dice.between(1, 40);
    account.toppedUp += quota;
    await topUp(account.id, quota, 'simulated');
  }
}
