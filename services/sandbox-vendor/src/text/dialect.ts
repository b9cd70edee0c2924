import type { Request } from 'express';
import type { TextDirectives } from './directives.ts';
import type { DialectName, TextFailure } from './failures.ts';
import type { Completion } from './model/completion.ts';
import type { Conversation, Segment } from './model/conversation.ts';
import type { PrefixCache, PromptTokens } from './model/prefix-cache.ts';
import type { StreamStep } from './stream.ts';

/** One completion, written out by a dialect. */
export interface WrittenCompletion {
  whole(): object;
  events(): Iterable<StreamStep>;
}

/** What differs between the dialects; the model and everything that goes wrong are shared. */
export interface Dialect {
  readonly name: DialectName;
  /** What the model gets to read; throws a TextFailure when the request is refused. */
  read(request: Request): Conversation;
  countPrompt(
    cache: PrefixCache,
    conversation: { model: string; segments: readonly Segment[] },
  ): PromptTokens;
  newCallId(): string;
  /** A completion to a request that `read` has accepted. */
  write(
    request: Request,
    said: {
      conversation: Conversation;
      completion: Completion;
      prompt: PromptTokens;
      directives: TextDirectives;
    },
  ): WrittenCompletion;
  readonly ping: string;
  /** An event that says that the rest of a stream will not come. */
  errorEvent(failure: TextFailure, requestId: string): string;
  readonly garbageEvent: string;
}
