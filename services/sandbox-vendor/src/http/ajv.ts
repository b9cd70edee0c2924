import { Ajv, type Options } from 'ajv';

/**
 * What reads bodies here. Schemas are not checked against the meta-schema, and the generated code is
 * not shortened: that is three quarters of what compiling them costs at every start.
 */
export const createAjv = (options: Options): Ajv =>
  new Ajv({ validateSchema: false, code: { optimize: false }, ...options });
