import { createRequire } from 'node:module';
import path from 'node:path';

export interface Validate {
  (value: unknown): boolean;
  readonly errors?:
    | readonly {
        readonly instancePath: string;
        readonly message?: string;
        readonly params: Readonly<Record<string, unknown>>;
      }[]
    | null;
}

export interface JsonSchemas {
  addSchema(schema: object): void;
  compile(schema: object): Validate;
}

/**
 * The root has the linter's older ajv: this is the one that packages/contracts validates with, in
 * the draft of OpenAPI 3.1.
 */
const { Ajv2020 } = createRequire(
  path.resolve(import.meta.dirname, '../../packages/contracts/package.json'),
)('ajv/dist/2020.js') as { Ajv2020: new (options: object) => JsonSchemas };

const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: /^https?:\/\/\S+$/,
};

/**
 * Compiled as quickly as it can be, since most test files of the api do; `validateSchema` looks at
 * the schemas themselves, too.
 */
export const createJsonSchemas = ({ validateSchema = false } = {}): JsonSchemas =>
  new Ajv2020({ strict: false, formats, validateSchema, code: { optimize: false } });
