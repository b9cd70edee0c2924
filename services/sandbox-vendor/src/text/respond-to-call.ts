import { setTimeout as pause } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Dialect, WrittenCompletion } from './dialect.ts';
import { readInstructions, type TextDirectives, type TextInstructions } from './directives.ts';
import { contextTokens, failures, TextFailure } from './failures.ts';
import { complete, type Completion } from './model/completion.ts';
import type { Conversation } from './model/conversation.ts';
import { promptTokens, type PrefixCache } from './model/prefix-cache.ts';
import type { RateLimits } from './rate-limits.ts';
import {
  beginStream,
  cutConnection,
  sendStream,
  untilAborted,
  waitForTokens,
  type StreamStep,
  type StreamTurn,
} from './stream.ts';

export interface TextCallOptions {
  readonly cache: PrefixCache;
  readonly rateLimits: RateLimits;
  /** Pace of completions to prompts that set none; 0 is as fast as possible. */
  readonly tokensPerSecond: number;
}

export interface TextCall {
  readonly request: Request;
  readonly response: Response;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * Responds to one request for text: what refuses it, then the completion, whole or as a stream, with what
 * spoils it.
 */
export async function respondToCall(
  dialect: Dialect,
  call: TextCall,
  { cache, rateLimits, tokensPerSecond }: TextCallOptions,
): Promise<void> {
  const { request, response, signal } = call;
  const conversation = dialect.read(request);
  const instructions = readInstructions(conversation.lastUserText);
  refuse(dialect, conversation, instructions);
  const { directives } = instructions;
  const pings =
    conversation.stream && directives['slow-pings'] !== undefined && !isRefused(directives);
  if (pings) beginStream(response, dialect.ping);
  await pause((directives['slow-first-byte'] ?? 0) * 1_000, undefined, { signal });
  if (misbehave(dialect, directives, response)) return;
  const prompt = dialect.countPrompt(cache, conversation);
  const completion = complete(conversation, instructions, () => dialect.newCallId());
  rateLimits.use('input-tokens', prompt.total);
  rateLimits.use('output-tokens', completion.tokens.output);
  const pace = { tokensPerSecond: directives.pace ?? tokensPerSecond, signal };
  const written = dialect.write(request, { conversation, completion, prompt, directives });
  if (!conversation.stream) {
    await waitForTokens(completion.tokens.output, { ...pace, startMs: performance.now() });
    await sendWhole(written, directives, { dialect, call });
    return;
  }
  if (!pings) beginStream(response, undefined);
  await sendStream(
    response,
    spoiled(written.events(), directives, {
      dialect,
      completion,
      requestId: requestIdOf(response),
    }),
    pace,
  );
}

const requestIdOf = (response: Response): string => response.locals['requestId'] as string;

function refuse(
  { name }: Dialect,
  { model, segments }: Conversation,
  { problem }: TextInstructions,
): void {
  if (model.startsWith('missing-')) throw failures[name]['missing-model'](model);
  const tokens = promptTokens(segments);
  if (tokens > contextTokens) throw failures[name].context(tokens);
  if (problem !== undefined) {
    throw new TextFailure(400, problem, { param: 'messages', code: 'invalid_value' });
  }
}

const refusals = ['rate-limited', 'overloaded', 'server-error', 'context'] as const;
const isRefused = (directives: TextDirectives): boolean =>
  [...refusals, 'reset', 'html'].some((name) => Object.hasOwn(directives, name));

/** Responds as a directive asks instead of the model; returns whether it did. */
function misbehave({ name }: Dialect, directives: TextDirectives, response: Response): boolean {
  const refusal = refusals.find((one) => directives[one] !== undefined);
  if (refusal !== undefined) throw failures[name][refusal](0);
  if (directives.reset !== undefined) {
    response.locals['broken'] = true;
    response.socket?.resetAndDestroy();
    return true;
  }
  if (directives.html === undefined) return false;
  response
    .status(502)
    .type('html')
    .send(
      '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
    );
  return true;
}

/**
 * What a directive puts into the middle of a stream; the first of these that was written counts.
 */
const middles = {
  'early-end': { turn: 'end' },
  'cut-mid-stream': { turn: 'cut' },
  stall: { turn: 'stall' },
} as const satisfies Partial<Record<keyof TextDirectives, StreamTurn>>;

interface Spoiling {
  readonly dialect: Dialect;
  readonly completion: Completion;
  readonly requestId: string;
}

/** The events of a stream with what a directive puts in where half of the tokens are sent. */
function* spoiled(
  events: Iterable<StreamStep>,
  directives: TextDirectives,
  spoiling: Spoiling,
): Generator<StreamStep | StreamTurn> {
  const middle = [...middleOf(directives, spoiling)];
  let tokens = 0;
  for (const event of events) {
    yield event;
    tokens += event.tokens;
    if (event.tokens > 0 && tokens * 2 >= spoiling.completion.tokens.output) {
      yield* middle.splice(0);
    }
  }
}

function* middleOf(
  directives: TextDirectives,
  { dialect, requestId }: Spoiling,
): Generator<StreamStep | StreamTurn> {
  if (directives.garbage !== undefined) yield { wire: dialect.garbageEvent, tokens: 0 };
  if (directives['error-mid-stream'] !== undefined) {
    yield { wire: dialect.errorEvent(failures[dialect.name].overloaded(), requestId), tokens: 0 };
    yield { turn: 'end' };
  }
  for (const [name, turn] of Object.entries(middles)) {
    if (Object.hasOwn(directives, name)) yield turn;
  }
}

/** Sends a completion in one piece; the directives for streams have their likeness here. */
async function sendWhole(
  written: WrittenCompletion,
  directives: TextDirectives,
  { dialect, call }: { dialect: Dialect; call: TextCall },
): Promise<void> {
  const { response, signal } = call;
  if (directives['error-mid-stream'] !== undefined) throw failures[dialect.name]['server-error']();
  if (directives.stall !== undefined) await untilAborted(signal);
  const text = JSON.stringify(written.whole());
  const half = text.slice(0, Math.floor(text.length / 2));
  if (directives['early-end'] !== undefined || directives['cut-mid-stream'] !== undefined) {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.write(half, () => {
      cutConnection(response);
    });
    return;
  }
  response.type('json').send(directives.garbage === undefined ? text : half);
}
