import type pg from 'pg';

export type Statement = pg.QueryConfig | string;

/** A server whose clock can be another one for a statement. */
export interface TimedServer {
  /** `at`: what its clock says meanwhile; without it, the world's time. */
  send(statement: Statement, values?: unknown[], at?: number): Promise<pg.QueryResult>;
}

export interface OpaqueServer extends TimedServer {
  /** Functions and views of the schema: what they do is not told by a statement that uses them. */
  readonly opaque: readonly string[];
}

export const textOf = (statement: Statement): string =>
  typeof statement === 'string' ? statement : statement.text;

/** Of a transaction. */
export const isBound = (text: string): boolean => ['BEGIN', 'COMMIT', 'ROLLBACK'].includes(text);
