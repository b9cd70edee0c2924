import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { adminRequestSchemas, textRequestSchemas, videoRequestSchema } from '@gateway/contracts';
import { keyScopes } from '@gateway/store';
import { buildDocument, resolved, type DocumentedResponse } from '@gateway/api';
import { createJsonSchemas } from '../../../contracts/json-schema.ts';

const document = buildDocument({ baseUrl: 'https://gateway.test', version: '1.2.3' });

/** Every value in it that stands under this name. */
function* under(name: string, value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === name) yield part;
    yield* under(name, part);
  }
}

/** The fields of an example that a schema does not name, in any of its branches. */
function fieldsNotIn(schema: object, example: object): string[] {
  const { properties = {}, oneOf = [] } = schema as { properties?: object; oneOf?: object[] };
  const branches = oneOf.map((branch) => {
    const { $ref = '' } = branch as { $ref?: string };
    return document.components.schemas[$ref.replace(/^.*\//, '')] as { properties: object };
  });
  const named = new Set(
    [properties, ...branches.map((branch) => branch.properties)].flatMap(Object.keys),
  );
  return Object.keys(example).filter((field) => !named.has(field));
}

/** What readers see of a schema that checks requests. */
function shownOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownOf);
  if (typeof value !== 'object' || value === null) return value;
  if ('x-shown' in value) return shownOf(value['x-shown']);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shownOf(part)]));
}

/** A schema of the document with what it refers to in place of the references. */
function whole(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref !== undefined) return whole(document.components.schemas[$ref.replace(/^.*\//, '')]);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, whole(part)]));
}

/** The recommended ones, and what generators stumble over. */
const strict = {
  extends: ['recommended-strict'],
  rules: Object.fromEntries(
    [
      'no-invalid-schema-examples',
      'no-invalid-parameter-examples',
      'no-invalid-media-type-examples',
      'no-schema-type-mismatch',
      'no-unused-components',
      'operation-parameters-unique',
      'operation-singular-tag',
      'parameter-description',
      'spec-strict-refs',
      'tag-description',
    ].map((rule) => [rule, 'error'] as const),
  ),
  telemetry: 'off' as const,
};

describe('the OpenAPI document', () => {
  it('passes the recommended rules of the linter and its 3.1 structure, warnings included, without a look at the network', async () => {
    const dialled: unknown[] = [];
    const { fetch: usual } = globalThis;
    globalThis.fetch = (...call) => {
      dialled.push(call[0]);
      return Promise.reject(new Error('no network here'));
    };
    try {
      const config = await createConfig(strict);
      const problems = await lintFromString({
        source: JSON.stringify(document),
        absoluteRef: 'openapi.json',
        config,
      });

      expect(
        problems.map(
          ({ ruleId, message, location }) =>
            `${ruleId}: ${message} at ${location[0]?.pointer ?? ''}`,
        ),
      ).toEqual([]);
      expect(dialled).toEqual([]);
    } finally {
      globalThis.fetch = usual;
    }
  });

  it('is noticed by the linter when it is wrong', async () => {
    const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off' });
    const { '/v1/videos': videos, ...paths } = document.paths;
    const source = JSON.stringify({
      ...document,
      paths: {
        ...paths,
        '/v1/videos': {
          ...videos,
          get: { ...videos?.['get'], responses: {}, security: [{ nothing: [] }] },
        },
      },
    });

    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });

    expect(problems.map(({ ruleId }) => ruleId)).toContain('security-defined');
  });

  it('refers to components that are there, and holds none that nobody refers to', () => {
    const targets = new Set([...under('$ref', document)] as string[]);
    const parts = ['schemas', 'responses', 'headers'].flatMap((kind) =>
      Object.keys(document.components[kind as 'schemas']).map(
        (name) => `#/components/${kind}/${name}`,
      ),
    );

    for (const mapping of under('mapping', document)) {
      for (const target of Object.values(mapping as object)) expect(parts).toContain(target);
    }
    expect([...targets].filter((target) => !parts.includes(target))).toEqual([]);
    expect(parts.filter((part) => !targets.has(part))).toEqual([]);
  });

  it('has schemas that are ones', () => {
    const schemas = createJsonSchemas({ validateSchema: true });
    schemas.addSchema({ $id: 'document', components: document.components });

    for (const name of Object.keys(document.components.schemas)) {
      expect(() => schemas.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow();
    }
  });

  it('shows responses that fit their schemas', () => {
    const schemas = createJsonSchemas();
    schemas.addSchema({ $id: 'document', components: document.components });
    const shown = Object.entries(document.components.schemas).flatMap(([name, { examples = [] }]) =>
      (examples as unknown[]).map((example) => [name, example] as const),
    );

    for (const [name, example] of shown) {
      const validate = schemas.compile({ $ref: `document#/components/schemas/${name}` });
      expect([name, validate(example), validate.errors ?? []]).toEqual([name, true, []]);
      expect([name, fieldsNotIn(document.components.schemas[name]!, example as object)]).toEqual([
        name,
        [],
      ]);
    }
    expect(shown.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Video', 'Message', 'ChatCompletion', 'Error']),
    );
  });

  it('shows the very schemas that check requests, with their words as descriptions', () => {
    const { account, key, topUp, rotation } = adminRequestSchemas(keyScopes);
    const shown = {
      VideoRequest: {
        ...videoRequestSchema,
        not: {
          anyOf: [
            { required: ['content', 'prompt'], properties: { content: {}, prompt: {} } },
            { required: ['content', 'references'], properties: { content: {}, references: {} } },
            { required: ['ratio', 'aspect_ratio'], properties: { ratio: {}, aspect_ratio: {} } },
            {
              required: ['watermark', 'aigc_watermark'],
              properties: { watermark: {}, aigc_watermark: {} },
            },
          ],
        },
      },
      MessagesRequest: textRequestSchemas.messages,
      CountTokensRequest: textRequestSchemas.countTokens,
      ChatCompletionRequest: textRequestSchemas.chat,
      AccountRequest: account,
      ApiKeyRequest: key,
      TopUpRequest: topUp,
      SecretRotation: rotation,
    };
    const plain = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (name, part: unknown) =>
          name.startsWith('x-') ||
          name === 'discriminator' ||
          (name === 'description' && typeof part === 'string')
            ? undefined
            : part,
        ),
      );

    for (const [name, schema] of Object.entries(shown)) {
      expect([name, plain(whole(document.components.schemas[name]))]).toEqual([
        name,
        plain(shownOf(schema)),
      ]);
    }
    expect(document.components.schemas['VideoRequest']).toMatchObject({
      description: 'Must be a JSON object.',
      properties: { seed: { description: 'Must be an integer between -1 and 4294967295.' } },
    });
    for (const word of ['x-must-be', 'x-name', 'x-here', 'x-shown']) {
      expect([...under(word, document)]).toEqual([]);
    }
  });

  it('lists for every route who may ask, what comes of it, and the failures of any request', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

    for (const { operationId, responses, security } of operations as unknown as readonly {
      operationId: string;
      responses: Record<string, DocumentedResponse>;
      security: unknown[];
    }[]) {
      expect([operationId, Object.keys(responses)]).toEqual([
        operationId,
        expect.arrayContaining(['200', '400', '408', '431', '500']),
      ]);
      for (const response of Object.values(responses)) {
        expect([operationId, resolved(document, response).headers]).toEqual([
          operationId,
          expect.objectContaining({ 'x-request-id': expect.anything() }),
        ]);
      }
      if (JSON.stringify(security).includes('bearer')) {
        expect([operationId, Object.keys(responses)]).toEqual([
          operationId,
          expect.arrayContaining(['401', '429']),
        ]);
      }
    }
    expect(operations.length).toBeGreaterThan(45);
  });
});
