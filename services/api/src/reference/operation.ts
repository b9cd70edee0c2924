import { idPattern, type ErrorCode, type IdKind } from '@gateway/domain';
import type { Schema } from '@gateway/contracts';
import type { Dialect } from '@gateway/text-dialects';
import type { Scope } from '../use-cases/authenticate.ts';
import { ref } from '../http/resource-schemas.ts';

/**
 * What opens a route: a key with this scope, any good key, the session of a browser alone, the same of
 * an operator's, the admin token, the token in a media address, or nothing.
 */
export type Access =
  Scope | 'any key' | 'session' | 'admin' | 'operator session' | 'media token' | 'open';

export interface Parameter {
  readonly name: string;
  readonly schema: Schema;
  readonly description: string;
  readonly required?: true;
  /** How an object stands in a query; left out for plain values. */
  readonly style?: 'deepObject';
  /** Used in the curl command and in the test that runs it. */
  readonly example?: string | number;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Body {
  readonly description?: string;
  /** The request may omit it. */
  readonly optional?: true;
  readonly content: Readonly<
    Record<
      string,
      { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> }
    >
  >;
}

export interface OperationResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, Schema>>;
  /** Names of components. */
  readonly headers?: readonly string[];
}

/** One route and method, as the document shows it. */
export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Kinds of the ids in the path; a part without one is plain text. */
  readonly ids?: Readonly<Record<string, IdKind>>;
  readonly query?: readonly Parameter[];
  readonly headers?: readonly Parameter[];
  readonly body?: Body;
  /** By status; the first is what the examples get. */
  readonly responses: Readonly<Record<number, OperationResponse>>;
  /** Its own failures; those of its access and of any request are added. */
  readonly errors: readonly ErrorCode[];
  /** Text routes report failures in their dialect, and may pass on those of an upstream. */
  readonly dialect?: Dialect;
}

/** A response that is one of the components, as JSON. */
export const respondsWith = (
  component: string,
  description: string,
  headers: readonly string[] = [],
): Operation['responses'] => ({
  200: { description, content: { 'application/json': ref(component) }, headers },
});

const wordsOf: Readonly<Record<IdKind, string>> = {
  task: 'a task',
  account: 'an account',
  key: 'an API key',
  attempt: 'an attempt',
  asset: 'an asset',
  usage: 'a usage record',
  usageBatch: 'a batch',
  lease: 'a lease',
  session: 'a session',
  endpoint: 'an endpoint',
};

/** Id of a thing of this kind. */
export const idSchema = (kind: IdKind): Schema => ({
  type: 'string',
  pattern: idPattern(kind),
  description: `Id of ${wordsOf[kind]}.`,
});

/** Limit and cursors of every list. `cursor` describes the ids of its items. */
export const pageParameters = (cursor: Schema, most = 100): readonly Parameter[] => [
  {
    name: 'limit',
    schema: { type: 'integer', minimum: 1, maximum: most, default: most === 100 ? 20 : most },
    description: 'Maximum number of items on the page.',
  },
  {
    name: 'after',
    schema: cursor,
    description: 'Only items after this one: the `last_id` of the previous page.',
  },
  {
    name: 'before',
    schema: cursor,
    description: 'Only items before this one: the `first_id` of the next page.',
  },
];

export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  description:
    'Your own name for this request. Repeating it with the same body within 24 hours returns the same result; nothing is done twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]{1,255}$' },
};

const day = { type: 'string', format: 'date' } as const;

/** Of a report about days. */
export const dayParameters = [
  {
    name: 'from',
    schema: day,
    description: 'First day, in UTC; by default the period covers thirty days.',
  },
  {
    name: 'to',
    schema: day,
    description: 'Last day, in UTC; today by default. A period covers at most 92 days.',
  },
] as const;
