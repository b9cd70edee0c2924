import { isUtf8 } from 'node:buffer';
import { createTextRequestReader, type TextRequestHead } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import {
  countTokensLocally,
  readTopLevel,
  rewriteRequestBody,
  translateRequest,
  withoutForeignThinking,
  type CompletionMemory,
  type Dialect,
  type Upstream,
} from '@gateway/text-dialects';
import type { Operation } from '../request/index.ts';

/** What a request asks for, read and checked; plain data. */
export interface Inspection {
  readonly head: TextRequestHead;
}

export interface InspectCommand {
  readonly kind: 'inspect';
  readonly dialect: Dialect;
  readonly operation: Operation;
}

export interface RenderCommand {
  readonly kind: 'render';
  readonly dialect: Dialect;
  readonly upstream: Upstream;
  /** Same dialect, chat: ask for usage although the client did not. */
  readonly addUsage: boolean;
}

export interface CountCommand {
  readonly kind: 'count';
}

/** A request as one upstream takes it. */
export interface Rendered {
  readonly body: Buffer;
  /** Null on pass-through. */
  readonly memory: CompletionMemory | null;
  /** The upstream was asked for usage that the client did not ask for. */
  readonly usageAdded: boolean;
  readonly dropped: readonly string[];
}

const charactersPerToken = 4;
/** Counting more bytes than this would hold other streams up. */
const largestCounted = 1_000_000;

const reader = createTextRequestReader();

/**
 * One request's body and what was read from it. Everything here is pure work on bytes, so that
 * large bodies can do it in another thread.
 */
export class RequestBody {
  readonly bytes: Buffer;
  #parsed: Record<string, unknown> | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Throws invalid_json, or what the contract of the dialect says. */
  inspect({ dialect, operation }: InspectCommand): Inspection {
    const parsed = this.#parse();
    refuseDuplicates(this.bytes);
    const read = operation === 'count_tokens' ? reader.countTokens : reader[dialect];
    return { head: read(parsed) };
  }

  render({ dialect, upstream, addUsage }: RenderCommand): Rendered {
    if (upstream.dialect === dialect) {
      const bytes =
        dialect === 'messages' ? withoutForeignThinking(this.bytes, upstream) : this.bytes;
      // The body names its model once, or it would have been refused: when that is the upstream's
      // own name, nothing needs looking for.
      if (!addUsage && this.#parse()['model'] === upstream.model) {
        return { body: bytes, memory: null, usageAdded: false, dropped: [] };
      }
      return {
        body: rewriteRequestBody(bytes, {
          model: upstream.model,
          ...(addUsage && { includeUsage: true }),
        }),
        memory: null,
        usageAdded: addUsage,
        dropped: [],
      };
    }
    const { body, memory, dropped } = translateRequest(dialect, this.#parse(), upstream);
    return { body: Buffer.from(JSON.stringify(body)), memory, usageAdded: false, dropped };
  }

  count(): number {
    return countTokensLocally(this.#parse());
  }

  /**
   * Tokens of the prompt, for the bill of a completion whose upstream reported none. Never on the
   * usual path.
   */
  estimate(): number {
    return this.bytes.length > largestCounted
      ? Math.ceil(this.bytes.length / charactersPerToken)
      : this.count();
  }

  #parse(): Record<string, unknown> {
    this.#parsed ??= parseObject(this.bytes);
    return this.#parsed;
  }
}

/**
 * Fields that are checked here and read again by the upstream, on routes that pass the bytes along.
 */
const readTwice = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'tools',
  'system',
  'thinking',
] as const;

/**
 * JSON allows a field twice, and each parser picks its own. Throws invalid_json.
 */
function refuseDuplicates(bytes: Buffer): void {
  const { spans } = readTopLevel(bytes, readTwice);
  const twice = spans.find(
    ({ key }, index) => spans.findIndex((span) => span.key === key) < index,
  )?.key;
  if (twice !== undefined) {
    throw new GatewayError(
      'invalid_json',
      `${twice} must stand once in the body; it stands there twice`,
      { param: twice },
    );
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  // Decoders differ in what they make of broken bytes: one that swallows a quote reads another body
  // than this.
  if (!isUtf8(bytes)) throw new GatewayError('invalid_json', 'the body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new GatewayError(
      'invalid_json',
      bytes.length === 0
        ? 'the body is empty; send one JSON object'
        : `the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`,
      { cause: error },
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_json', 'the body must be one JSON object');
  }
  return value as Record<string, unknown>;
}
