import { replicaLeaseSeconds } from '../actors/settings.ts';
import { costNano, seenTokens, usageIdOf, type Served } from '../actors/text/request.ts';
import type { TextReplica } from '../actors/text/replica.ts';
import type { LostTextExcuse } from './lost-commits.ts';

export interface RecordRow {
  readonly id: string;
  readonly account_id: string;
  readonly request_id: string;
  readonly outcome: string;
  readonly input: number;
  readonly output: number;
  readonly estimated: boolean;
  readonly cost: string;
}

/** A round of the walk, and the wait before it, after which a request that runs is written down. */
const openAfterMs = 2_100;
/** However bad the network: so many writes are not lost in a row. */
const openWithinMs = 90_000;
/**
 * What a killed replica may have had in memory alone: a tenth of a second until the batch begins, and,
 * while its write is slow or lost, the second after which it goes to the disk, which takes a moment.
 */
const unsavedMs = 1_300;

export const isKilled = ({ endedAt, isStopped }: TextReplica): boolean =>
  endedAt !== undefined && !isStopped;

/** One request against what its upstream read and wrote. */
export function faultsOfUsage(
  served: Served,
  record: RecordRow | undefined,
  excuse: LostTextExcuse,
): string[] {
  const { wish, replica, end, sent } = served;
  const name = `text ${wish.number} at ${replica.id} (${end ?? 'cut off'})`;
  if (record === undefined) return isLosable(served, excuse) ? [] : [`${name} is in no book`];
  const { outcome, input, output, estimated, cost } = record;
  const told = `${outcome} with ${input} and ${output} tokens${estimated ? ', estimated' : ''}`;
  return [
    ...(cost === String(costNano(input, output)) ? [] : [`${name} costs ${cost} for ${told}`]),
    ...(record.account_id === wish.accountId ? [] : [`${name} is charged to somebody else`]),
    ...(isRight(record, served, excuse)
      ? []
      : [`${name} is recorded as ${told}; its upstream read ${wish.prompt} and sent ${sent}`]),
  ];
}

const isRight = (record: RecordRow, served: Served, excuse: LostTextExcuse): boolean =>
  isFinal(record, served) ||
  (isCut(record, served) && (mayBeCut(served) || excuse.lostUsage(usageIdOf(served))));

/** It was lost with the commit that saved it, or with its replica. */
const isLosable = (served: Served, excuse: LostTextExcuse): boolean =>
  excuse.forgotUsage(usageIdOf(served)) || isLostAtKill(served, excuse);

/** What it had kept must be there; what was under way within the last moments may be lost. */
function isLostAtKill(served: Served, excuse: LostTextExcuse): boolean {
  const { replica, beganAt, endedAt } = served;
  if (!isKilled(replica)) return false;
  const lostUntil = excuse.openLostUntil(usageIdOf(served));
  const isKept = replica.keptAt.some(
    (begunAt) =>
      begunAt >= beganAt + openAfterMs &&
      begunAt > lostUntil &&
      (endedAt === undefined || begunAt < endedAt),
  );
  if (isKept) return false;
  if (lostUntil > -Infinity) return true;
  const killedAt = replica.endedAt ?? Infinity;
  return endedAt === undefined ? killedAt - beganAt < openWithinMs : killedAt - endedAt < unsavedMs;
}

/** Its record may be the one of while it ran: what came later was lost, or came too late. */
export function mayBeCut({ replica, beganAt, endedAt }: Served): boolean {
  if (endedAt === undefined) return true;
  const killedAt = replica.endedAt;
  if (isKilled(replica) && killedAt !== undefined && killedAt - endedAt < unsavedMs) return true;
  // It was silent for so long that it was taken for gone.
  const heard = [beganAt, ...replica.heardAt.filter((at) => at > beganAt && at < endedAt), endedAt];
  return heard.some((at, index) => at - (heard[index - 1] ?? at) > replicaLeaseSeconds * 900);
}

const outcomes = {
  completed: 'succeeded',
  left: 'aborted',
  'broken off': 'failed',
  refused: 'failed',
} as const;

function isFinal(record: RecordRow, { wish, end, sent }: Served): boolean {
  if (end === undefined || record.outcome !== outcomes[end]) return false;
  const has = (input: number, output: number, estimated: boolean): boolean =>
    record.input === input && record.output === output && record.estimated === estimated;
  if (end === 'completed') return has(wish.prompt, sent, false);
  if (end === 'refused') return has(0, 0, false);
  return wish.saysEarly
    ? has(wish.prompt, Math.max(seenTokens(sent), 1), true)
    : has(wish.estimate, seenTokens(sent), true);
}

const isCut = ({ outcome, estimated, output }: RecordRow, { sent }: Served): boolean =>
  outcome === 'aborted' && estimated && output <= Math.max(seenTokens(sent), 1);
