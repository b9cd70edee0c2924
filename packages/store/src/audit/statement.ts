import type pg from 'pg';

export type Values = Readonly<Record<string, unknown>>;

/** The word `{name}` in SQL as the parameter of that name; only those that occur are sent. */
function statementOf(sql: string, values: Values): { text: string; values: unknown[] } {
  const names: string[] = [];
  const text = sql.replaceAll(/\{(\w+)\}/g, (_word, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`the statement needs {${name}}`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, values: names.map((name) => values[name]) };
}

export const run = <Row extends pg.QueryResultRow>(
  pool: Pick<pg.Pool, 'query'>,
  sql: string,
  values: Values = {},
): Promise<pg.QueryResult<Row>> => pool.query<Row>(statementOf(sql, values));
