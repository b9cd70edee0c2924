import { describe, expect, it } from '@jest/globals';
import * as contracts from '@gateway/contracts';
import { videoVendors } from '@gateway/video-providers';
import { adminRequestSchemas } from '../../../packages/contracts/src/admin-request-schemas.ts';
import { createBodyReader } from '../../../packages/contracts/src/body-reader.ts';

const isSchema = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && ('type' in value || 'oneOf' in value);

/** Every schema that the package shows: one, or several by name, or one of a kind. */
const shown = Object.entries(contracts).flatMap(([name, value]): [string, unknown][] => {
  if (/Schema$/.test(name) && typeof value !== 'function') return [[name, value]];
  if (!/Schemas$/.test(name)) return [];
  return Object.entries(value).map(([key, schema]) => [`${name}.${key}`, schema]);
});
const made: [string, unknown][] = [
  ...Object.entries(adminRequestSchemas(['videos'])).map(([name, schema]): [string, unknown] => [
    `adminRequestSchemas.${name}`,
    schema,
  ]),
  ['configurationSchema', contracts.configurationSchema(Object.keys(videoVendors))],
  ...(Object.keys(contracts.jobs) as contracts.JobName[]).map((job): [string, unknown] => [
    `jobEnvelopeSchema ${job}`,
    contracts.jobEnvelopeSchema(job),
  ]),
];

describe('createAjv', () => {
  it('refuses a keyword that ajv does not know', () => {
    expect(() => contracts.createAjv().compile({ type: 'string', maxLenght: 3 })).toThrow(
      'unknown keyword: "maxLenght"',
    );
  });

  it('refuses a keyword whose value has a wrong type', () => {
    expect(() => contracts.createAjv().compile({ type: 'string', maxLength: '3' })).toThrow(
      'maxLength',
    );
  });

  // It compiles without looking at the meta-schema, so that is looked at here.
  it.each([...shown, ...made])('%s is a valid schema', (_name, schema) => {
    const ajv = contracts.createAjv({ strict: false });
    if (!isSchema(schema)) throw new Error('no schema');

    expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
  });

  // Some are compiled with the first body only: no start would say that strict mode refuses one.
  it.each([...shown, ...made])('%s passes strict mode', (_name, schema) => {
    if (!isSchema(schema)) throw new Error('no schema');

    // Of what is only shown: nothing compiles the schema of a resource.
    const ajv = contracts.createAjv({ formats: { 'date-time': true, uri: true } });

    expect(() => ajv.compile(schema)).not.toThrow();
  });
});

describe('compileOnce', () => {
  it('compiles a schema once, whoever asks', () => {
    const schema = { type: 'string' };

    expect(contracts.compileOnce(schema)).toBe(contracts.compileOnce(schema));
  });
});

describe('createBodyReader', () => {
  const unknown = { type: 'object', properties: { name: { type: 'string', maxLenght: 3 } } };

  it('compiles its schema with the first body', () => {
    const read = createBodyReader(unknown);

    expect(() => read(undefined)).toThrow('the body must be a JSON object');
    expect(() => read({})).toThrow('unknown keyword: "maxLenght"');
  });

  it('tells in one failure what the schema refuses and, of other fields, what its rule refuses', () => {
    const refused = (param: string) => ({
      code: 'invalid_parameter' as const,
      param,
      message: `${param} is refused by the rule`,
    });
    const read = createBodyReader(
      { type: 'object', properties: { name: { type: 'string' } } },
      () => [refused('name'), refused('other')],
    );

    expect(() => read({ name: 1 })).toThrow(
      expect.objectContaining({
        param: 'name',
        details: [
          { param: 'name', message: 'name must be a string; got 1' },
          { param: 'other', message: 'other is refused by the rule' },
        ],
      }),
    );
  });
});
