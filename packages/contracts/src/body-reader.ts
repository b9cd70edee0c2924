import type { ValidateFunction } from 'ajv';
import { GatewayError } from '@gateway/domain';
import { compileOnce } from './ajv.ts';
import { requestError, violationsOf, type Violation } from './violation.ts';

/** What is wrong with the fields of a body that a schema cannot say. */
export type FieldRule = (fields: Readonly<Record<string, unknown>>) => readonly Violation[];

/**
 * What reads a JSON body that has to fit `schema`, and `rule` for the fields that do. Throws one failure
 * that names every violation; `undefined` is a body that was not JSON. The schema is compiled with the
 * first body: no start pays for those that nobody may send.
 */
export function createBodyReader(
  schema: object,
  rule: FieldRule = () => [],
): (body: unknown) => unknown {
  let compiled: ValidateFunction | undefined;
  return (body) => {
    if (body === undefined) {
      throw new GatewayError('invalid_json', 'the body must be a JSON object');
    }
    const found = violationsOf((compiled ??= compileOnce(schema)), body);
    const named = new Set(found.map(({ param }) => param));
    const broken = isObject(body) ? rule(body).filter(({ param }) => !named.has(param)) : [];
    const [first, ...rest] = [...found, ...broken];
    if (first !== undefined) throw requestError([first, ...rest]);
    return body;
  };
}

const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body);
