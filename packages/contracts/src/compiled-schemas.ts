import type { ValidateFunction } from 'ajv';
import { createAjv } from './ajv.ts';

/** What the call before compiled, by schema: no more than the models of one configuration. */
let kept = new Map<string, ValidateFunction>();

/**
 * A validator for each schema, in order. Compiling takes some 10 ms a model, in which nobody is served;
 * what the call before compiled is used again, so that a changed configuration costs what changed.
 */
export function compileAll(
  schemas: readonly [object, ...object[]],
): [ValidateFunction, ...ValidateFunction[]] {
  const ajv = createAjv();
  const before = kept;
  kept = new Map();
  const validatorOf = (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = kept.get(text) ?? before.get(text) ?? ajv.compile(schema);
    kept.set(text, validate);
    return validate;
  };
  const [first, ...others] = schemas;
  return [validatorOf(first), ...others.map(validatorOf)];
}
