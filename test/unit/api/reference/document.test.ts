import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { adminRequestSchemas, textRequestSchemas, videoRequestSchema } from '@gateway/contracts';
import { keyScopes } from '@gateway/store';
import { buildDocument } from '@gateway/api';
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

describe('the OpenAPI document', () => {
  it('passes the recommended rules of the linter and its 3.1 structure, warnings included, without a look at the network', async () => {
    const dialled: unknown[] = [];
    const { fetch: usual } = globalThis;
    globalThis.fetch = (...call) => {
      dialled.push(call[0]);
      return Promise.reject(new Error('no network here'));
    };
    try {
      const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off' });
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
    const parts = ['schemas', 'headers'].flatMap((kind) =>
      Object.keys(document.components[kind as 'schemas']).map(
        (name) => `#/components/${kind}/${name}`,
      ),
    );

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
      const { properties = {} } = document.components.schemas[name] as { properties?: object };
      expect([
        name,
        Object.keys(example as object).filter((field) => !(field in properties)),
      ]).toEqual([name, []]);
    }
    expect(shown.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Video', 'Message', 'ChatCompletion', 'Error']),
    );
  });

  it('shows the very schemas that check requests, with their words as descriptions', () => {
    const { account, key, topUp, rotation } = adminRequestSchemas(keyScopes);
    const shown = {
      VideoRequest: videoRequestSchema,
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
          name === 'x-must-be' ||
          name === 'discriminator' ||
          (name === 'description' && typeof part === 'string')
            ? undefined
            : part,
        ),
      );

    for (const [name, schema] of Object.entries(shown)) {
      expect([name, plain(document.components.schemas[name])]).toEqual([name, plain(schema)]);
    }
    expect(document.components.schemas['VideoRequest']).toMatchObject({
      description: 'Must be a JSON object.',
      properties: { seed: { description: 'Must be an integer between -1 and 4294967295.' } },
    });
    expect([...under('x-must-be', document)]).toEqual([]);
  });

  it('lists for every route who may ask, what comes of it, and the failures of any request', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

    for (const { operationId, responses, security } of operations as unknown as readonly {
      operationId: string;
      responses: Record<string, { headers: object }>;
      security: unknown[];
    }[]) {
      expect([operationId, Object.keys(responses)]).toEqual([
        operationId,
        expect.arrayContaining(['200', '400', '408', '431', '500']),
      ]);
      for (const response of Object.values(responses)) {
        expect([operationId, response.headers]).toEqual([
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
