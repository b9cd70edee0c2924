import {
  createVideoProvider,
  type CancelOutcome,
  type ListOutcome,
  type PollManyOutcome,
  type PollOutcome,
  type Submission,
  type SubmitOutcome,
  type VideoProvider,
} from '@gateway/video-providers';
import type { Dice } from '../../chaos/random.ts';
import { pages, refusedInFront, uncertain } from '../../contracts/pages-in-front.ts';
import type { ScriptedResponse, SeenRequest } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';
import { wireClient, type Reply } from './wire-client.ts';
import { scriptOf, type WireKind } from './wire-formats.ts';

export interface WireOptions {
  readonly kind: WireKind;
  readonly dice: Dice;
  /** Whether the vendor has not begun to render it yet. */
  readonly isQueued: (vendorTaskId: string) => boolean;
  readonly createdAt: (vendorTaskId: string) => Date;
}

/** What a task is called at a vendor of this kind. */
export function wireIdOf(kind: WireKind, id: string): string {
  const { vendorTaskId = '' } = scriptOf(kind);
  return `${vendorTaskId.slice(0, vendorTaskId.lastIndexOf('/') + 1)}${id}`;
}

/** What the adapter was called for. */
interface Asked {
  readonly submission?: Submission;
  readonly id?: string;
  readonly signal: AbortSignal;
}

/**
 * The real adapter of a kind of vendor, before a vendor that is a model. What the model says is put
 * into the words of the wire format, with the responses of the adapter's own contract suite, and the
 * adapter reads them. Where the model has no usable response, one is lost, a page of something in
 * front of the vendor comes, or words without a meaning.
 */
export function speakWire(model: VideoProvider, options: WireOptions): VideoProvider {
  const script = scriptOf(options.kind);
  const adapterFor = (asked: Asked): VideoProvider => {
    const client = wireClient(
      withSecond((request) => replyTo({ model, script, options, asked, request })),
    );
    return createVideoProvider(options.kind, {
      baseUrl: `https://vendor.example${script.basePath}`,
      apiKey: 'access-0123456789:secret-0123456789',
      timeoutMs: 30_000,
      openClient: () => client,
    });
  };
  const { pollMany, find, list } = model;
  return {
    ...model,
    submit: (submission, signal) => adapterFor({ submission, signal }).submit(submission, signal),
    poll: (id, signal) => adapterFor({ id, signal }).poll(id, signal),
    cancel: (id, signal) => adapterFor({ id, signal }).cancel(id, signal),
    ...(pollMany && {
      pollMany: {
        ...pollMany,
        poll: (ids, signal) => present(adapterFor({ signal }).pollMany).poll(ids, signal),
      },
    }),
    ...(find && { find: (query, signal) => present(adapterFor({ signal }).find)(query, signal) }),
    ...(list && { list: (query, signal) => present(adapterFor({ signal }).list)(query, signal) }),
  };
}

function present<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the adapter cannot do what its vendor is asked for');
  return part;
}

/** Of a poll that takes two requests, the first reply holds what the second one gets. */
function withSecond(
  respond: (request: SeenRequest) => Promise<Reply>,
): (request: SeenRequest) => Promise<Reply> {
  let second: ScriptedResponse['second'];
  return async (request) => {
    if (second?.path.test(request.path) === true) return second.response;
    const reply = await respond(request);
    second = typeof reply === 'object' ? reply.second : undefined;
    return reply;
  };
}

interface Exchange {
  readonly model: VideoProvider;
  readonly script: VendorScript;
  readonly options: WireOptions;
  readonly asked: Asked;
  readonly request: SeenRequest;
}

async function replyTo({ model, script, options, asked, request }: Exchange): Promise<Reply> {
  const { signal } = asked;
  const words = { script, options };
  switch (script.callOf(request)) {
    case 'create':
      return toSubmit(words, await model.submit(present(asked.submission), signal));
    case 'poll':
      return toPoll(words, present(asked.id), await model.poll(present(asked.id), signal));
    case 'cancel':
      return toCancel(words, await model.cancel(present(asked.id), signal));
    case 'list': {
      const ids = script.many?.askedFor(request) ?? [];
      return ids.length > 0
        ? toPollMany(words, await present(model.pollMany).poll(ids, signal))
        : toList(words, await present(model.list)({ since: new Date(0) }, signal));
    }
    case undefined:
      throw new Error(`${options.kind} has no such call: ${request.method} ${request.path}`);
  }
}

interface Words {
  readonly script: VendorScript;
  readonly options: WireOptions;
}

function toSubmit({ script, options: { dice } }: Words, outcome: SubmitOutcome): Reply {
  const { create } = script;
  switch (outcome.kind) {
    case 'accepted':
      return create.accepted(outcome.vendorTaskId);
    case 'not_sent':
      return 'not sent';
    case 'busy':
      return create.busy;
    case 'unavailable':
      return dice.pick([create.accountUnusable, aPage(dice, refusedInFront)]);
    case 'refused':
      return dice.pick([create.moderated, create.refused('The prompt is too long.')]);
    case 'unknown':
      return dice.pick<Reply>(['lost', create.withoutId, aPage(dice, uncertain)]);
  }
}

function toPoll({ script, options }: Words, id: string, outcome: PollOutcome): Reply {
  const { dice, isQueued } = options;
  const { task } = script;
  switch (outcome.kind) {
    case 'pending':
      return isQueued(id) ? task.queued(id) : task.running(id);
    case 'succeeded':
      return task.succeeded(id, outcome.output.videoUrl);
    case 'failed':
      return outcome.failure === 'cancelled'
        ? (task.cancelled ?? task.failed)(id)
        : dice.pick([task.failed, task.moderated])(id);
    case 'missing':
      return dice.pick([task.missing, ...Object.values(task.alsoMissing ?? {})]);
    case 'error':
      return unusable({ script, options });
  }
}

function toPollMany(words: Words, outcome: PollManyOutcome): Reply {
  if (outcome.kind === 'error') return unusable(words);
  const tasks = [...outcome.outcomes].map(([id, each]) => toPoll(words, id, each));
  return present(words.script.many).list(tasks as ScriptedResponse[]);
}

function toCancel(words: Words, outcome: CancelOutcome): Reply {
  const { done, refused } = present(words.script.cancel);
  if (outcome.kind === 'error') return unusable(words);
  return outcome.kind === 'cancelled' ? done : refused;
}

function toList(words: Words, outcome: ListOutcome): Reply {
  if (outcome.kind === 'error') return unusable(words);
  const newestFirst = outcome.tasks.toReversed().map(({ vendorTaskId, correlation = '' }) => ({
    vendorTaskId,
    correlation,
    createdAt: words.options.createdAt(vendorTaskId),
  }));
  return present(words.script.list)(newestFirst);
}

/** What says nothing about any task. */
const unusable = ({ script, options: { dice } }: Words): Reply =>
  dice.pick<Reply>([
    'lost',
    aPage(dice, [...refusedInFront, ...uncertain]),
    dice.pick(Object.values(script.task.garbage)),
  ]);

const aPage = (dice: Dice, statuses: readonly number[]): ScriptedResponse => ({
  ...dice.pick(Object.values(pages)),
  status: dice.pick(statuses),
});
