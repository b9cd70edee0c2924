import { beginStandby } from '../stores/standby.ts';
import type { Accident } from './fleet.ts';
import { auditAfterwards } from './operator.ts';

/** As long as an asynchronous standby is behind; longer than most are, so that more is lost. */
const behindMs = [200, 6_000] as const;

/** One at a time: whoever is at work on the last one would not begin another. */
export const failOver: Accident = (surroundings, fleet, dice) => {
  const { failOvers } = surroundings;
  if (failOvers.underWay !== undefined) return;
  failOvers.underWay = takePlace(surroundings, fleet, dice).finally(() => {
    failOvers.underWay = undefined;
  });
};

const takePlace = async (...[surroundings, fleet, dice]: Parameters<Accident>): Promise<void> => {
  const { world, postgres, failOvers } = surroundings;
  const standby = await beginStandby(postgres);
  const from = world.now();
  world.trace.say('a standby hears of nothing any more');
  await world.pause(dice.between(...behindMs));
  const at = world.now();
  const lost = await standby.takeOver();
  const isNoticedLate = dice.chance(0.4);
  failOvers.past.push({ from, at, isNoticedLate, lost });
  world.trace.say(
    `the standby takes over, ${isNoticedLate ? 'and workers go on' : 'and workers are stopped'}; lost are ${JSON.stringify(lost)}`,
  );
  if (!isNoticedLate) for (const worker of fleet.workers) worker.turnOff();
  await world.pause(dice.between(200, 5_000));
  postgres.isAway = false;
  if (isNoticedLate) await world.pause(dice.between(1_000, 30_000));
  await auditAfterwards(surroundings, fleet.workers);
};
