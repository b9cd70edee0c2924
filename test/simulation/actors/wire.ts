import { createVideoProvider, type Submission, type VideoProvider } from '@gateway/video-providers';
import type { ScriptedResponse, SeenRequest } from '../../contracts/scripted-vendor.ts';
import { wireClient, type Reply } from './wire-client.ts';
import { scriptOf, type WireKind } from './wire-formats.ts';
import {
  present,
  toCancel,
  toList,
  toPoll,
  toPollMany,
  toSubmit,
  type Words,
} from './wire-words.ts';

export interface WireOptions extends Omit<Words, 'script'> {
  readonly kind: WireKind;
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
  const words: Words = { ...options, script };
  const adapterFor = (asked: Asked): VideoProvider => {
    const client = wireClient(withSecond((request) => replyTo({ model, words, asked, request })));
    return createVideoProvider(options.kind, {
      baseUrl: `https://vendor.example${script.basePath}`,
      apiKey: 'access-0123456789:secret-0123456789',
      timeoutMs: 30_000,
      openClient: () => client,
    });
  };
  const { pollMany, find, list } = model;
  const hasFilesInside = script.task.inline !== undefined;
  return {
    ...model,
    submit: (submission, signal) => adapterFor({ submission, signal }).submit(submission, signal),
    poll: (id, signal) => adapterFor({ id, signal }).poll(id, signal),
    cancel: (id, signal) => adapterFor({ id, signal }).cancel(id, signal),
    ...(hasFilesInside && {
      readFile: (id, signal) => present(adapterFor({ id, signal }).readFile)(id, signal),
    }),
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
  readonly words: Words;
  readonly asked: Asked;
  readonly request: SeenRequest;
}

async function replyTo({ model, words, asked, request }: Exchange): Promise<Reply> {
  const { signal } = asked;
  const { script } = words;
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
      throw new Error(`a vendor has no such call: ${request.method} ${request.path}`);
  }
}
