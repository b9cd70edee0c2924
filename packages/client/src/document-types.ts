import type { operations } from './schema.ts';

type Operations = operations;
type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } }
  ? Body
  : never;
/** What a successful call of an operation of the document returns. */
export type Result<Id extends keyof Operations> = Operations[Id] extends {
  responses: infer Responses;
}
  ? JsonOf<Responses[keyof Responses & (200 | 201)]>
  : never;
/** The body that an operation takes. */
export type Body<Id extends keyof Operations> = Operations[Id] extends {
  requestBody?: infer Request;
}
  ? JsonOf<NonNullable<Request>>
  : never;
export type Query<Id extends keyof Operations> = NonNullable<Operations[Id]['parameters']['query']>;
export type Item<List> = List extends { data: readonly (infer One)[] } ? One : never;
/** Pages follow each other by themselves, so nobody names a cursor. */
export type Filter<Id extends keyof Operations> = Omit<
  Query<Id>,
  'limit' | 'after' | 'before' | 'after_id' | 'before_id' | 'beta'
>;
