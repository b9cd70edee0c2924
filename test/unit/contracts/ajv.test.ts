import { describe, expect, it } from '@jest/globals';
import * as contracts from '@gateway/contracts';
import { videoVendors } from '@gateway/video-providers';

const isSchema = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && ('type' in value || 'oneOf' in value);

/** Every schema that the package shows: one, or several by name, or one of a kind. */
const shown = Object.entries(contracts).flatMap(([name, value]): [string, unknown][] => {
  if (/Schema$/.test(name) && typeof value !== 'function') return [[name, value]];
  if (!/Schemas$/.test(name)) return [];
  return Object.entries(value).map(([key, schema]) => [`${name}.${key}`, schema]);
});
const made: [string, unknown][] = [
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
});
