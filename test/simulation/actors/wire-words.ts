import type { TaskFailureCode } from '@gateway/domain';
import type {
  CancelOutcome,
  ListOutcome,
  PollManyOutcome,
  PollOutcome,
  SubmitOutcome,
  VendorUsage,
} from '@gateway/video-providers';
import type { Dice } from '../../chaos/random.ts';
import { pages, refusedInFront, uncertain } from '../../contracts/pages-in-front.ts';
import type { ScriptedResponse } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';
import type { Reply } from './wire-client.ts';

/** How a vendor tells the end of one task, each time that it is asked. */
export interface ToldEnd {
  readonly response: ScriptedResponse;
  /** What it says there that it charges, as the contract suite reads it. */
  readonly charge?: StatedCharge;
}

export interface StatedCharge {
  readonly usage: VendorUsage;
  /** Of a task that failed. */
  readonly failure?: TaskFailureCode;
}

/** What a vendor says its outcomes with. */
export interface Words {
  readonly script: VendorScript;
  readonly dice: Dice;
  /** Whether the vendor has not begun to render it yet. */
  readonly isQueued: (vendorTaskId: string) => boolean;
  readonly createdAt: (vendorTaskId: string) => Date;
  /** By the vendor's id of the task. */
  readonly ends: Map<string, ToldEnd>;
}

export function toSubmit({ script: { create }, dice }: Words, outcome: SubmitOutcome): Reply {
  const inside = Object.values(create.insideSuccess ?? {})
    .filter(({ reads }) => reads['kind'] === outcome.kind)
    .map(({ response }) => response);
  switch (outcome.kind) {
    case 'accepted':
      return create.accepted(outcome.vendorTaskId);
    case 'not_sent':
      return 'not sent';
    case 'busy':
      return dice.pick([create.busy, ...inside]);
    case 'unavailable':
      return dice.pick([create.accountUnusable, aPage(dice, refusedInFront), ...inside]);
    case 'refused':
      return dice.pick([create.moderated, create.refused('The prompt is too long.'), ...inside]);
    case 'unknown':
      return dice.pick<Reply>(['lost', create.withoutId, aPage(dice, uncertain), ...inside]);
  }
}

export function toPoll(words: Words, id: string, outcome: PollOutcome): Reply {
  const { task } = words.script;
  switch (outcome.kind) {
    case 'pending':
      return words.isQueued(id) ? task.queued(id) : task.running(id);
    case 'succeeded':
    case 'failed':
      return toEnd(words, id, outcome);
    case 'missing':
      return words.dice.pick([task.missing, ...Object.values(task.alsoMissing ?? {})]);
    case 'error':
      return unusable(words);
  }
}

type Ended = Extract<PollOutcome, { kind: 'succeeded' | 'failed' }>;

function toEnd({ script, dice, ends }: Words, id: string, outcome: Ended): ScriptedResponse {
  const told = ends.get(id) ?? dice.pick(waysToEnd(script, id, outcome));
  ends.set(id, told);
  return told.response;
}

function waysToEnd({ task }: VendorScript, id: string, outcome: Ended): readonly ToldEnd[] {
  if (outcome.kind === 'failed') return waysToFail(task, id, outcome.failure);
  const { videoUrl } = outcome.output;
  return [
    { response: task.succeeded(id, videoUrl) },
    ...Object.values(task.charged ?? {}).map(({ response, usage }) => ({
      response: response(id, videoUrl),
      charge: { usage },
    })),
    ...(task.inline === undefined ? [] : [{ response: task.inline(id, Buffer.from(videoUrl)) }]),
  ];
}

/** Without a file the vendor has rendered all the same; of other failures the words may be any. */
function waysToFail(
  task: VendorScript['task'],
  id: string,
  failure: TaskFailureCode,
): readonly ToldEnd[] {
  if (failure === 'cancelled') return [{ response: (task.cancelled ?? task.failed)(id) }];
  const isEmpty = failure === 'no_output';
  const free = isEmpty
    ? [task.withoutOutput]
    : [task.failed, task.moderated, ...(task.expired === undefined ? [] : [task.expired])];
  const charged = Object.values(task.chargedFailures ?? {}).filter(
    (one) => (one.failure === 'no_output') === isEmpty,
  );
  return [
    ...free.map((tell) => ({ response: tell(id) })),
    ...charged.map(({ response, ...charge }) => ({ response: response(id), charge })),
  ];
}

export function toPollMany(words: Words, outcome: PollManyOutcome): Reply {
  if (outcome.kind === 'error') return unusable(words);
  const tasks = [...outcome.outcomes].map(([id, each]) => toPoll(words, id, each));
  return present(words.script.many).list(tasks as ScriptedResponse[]);
}

export function toCancel(words: Words, outcome: CancelOutcome): Reply {
  const { done, refused, refusedInsideSuccess = refused } = present(words.script.cancel);
  if (outcome.kind === 'error') return unusable(words);
  return outcome.kind === 'cancelled' ? done : words.dice.pick([refused, refusedInsideSuccess]);
}

export function toList(words: Words, outcome: ListOutcome): Reply {
  if (outcome.kind === 'error') return unusable(words);
  const newestFirst = outcome.tasks.toReversed().map(({ vendorTaskId, correlation = '' }) => ({
    vendorTaskId,
    correlation,
    createdAt: words.createdAt(vendorTaskId),
  }));
  return present(words.script.list)(newestFirst);
}

/** What says nothing about any task. */
const unusable = ({ script, dice }: Words): Reply =>
  dice.pick<Reply>([
    'lost',
    aPage(dice, [...refusedInFront, ...uncertain]),
    dice.pick(Object.values(script.task.garbage)),
  ]);

const aPage = (dice: Dice, statuses: readonly number[]): ScriptedResponse => ({
  ...dice.pick(Object.values(pages)),
  status: dice.pick(statuses),
});

export function present<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the adapter cannot do what its vendor is asked for');
  return part;
}
