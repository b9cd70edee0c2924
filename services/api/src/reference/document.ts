import { idPrefixes } from '@gateway/domain';
import type { Schema } from '@gateway/contracts';
import { adminResourceSchemas } from '../http/admin-resource-schemas.ts';
import { resourceSchemas } from '../http/resource-schemas.ts';
import { textResponseSchemas } from './text-schemas.ts';
import { responseExamples } from './response-examples.ts';
import { responsesOf, errorSchema, headerComponents, headersOf } from './responses.ts';
import {
  idSchema,
  type Access,
  type OperationResponse,
  type Operation,
  type Parameter,
} from './operation.ts';
import { accountSchemas } from './operations/account.ts';
import { adminSchemas } from './operations/admin.ts';
import { operations } from './operations/index.ts';
import { serviceSchemas } from './operations/service.ts';
import { storedResponseSchemas } from './operations/stored-responses.ts';
import { textSchemas } from './operations/text.ts';
import { videoSchemas } from './operations/videos.ts';

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: {
    readonly securitySchemes: Json;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Json>>;
  };
}

const tags: OpenApiDocument['tags'] = [
  {
    name: 'Videos',
    description: 'Asynchronous video tasks: create, read, follow, cancel, delete, play.',
  },
  { name: 'Assets', description: 'Images, videos and audio clips to make videos from.' },
  {
    name: 'Callbacks',
    description:
      'Pushes of every status to `callback_url`: delivery log, redelivery and signing secret.',
  },
  { name: 'Text', description: 'Text in three dialects, streaming or not.' },
  { name: 'Models', description: 'The models that a key may use.' },
  { name: 'Billing', description: 'Balance, ledger and usage.' },
  {
    name: 'Administration',
    description:
      'Accounts, keys and money, for holders of the admin token. Absent where `ADMIN_TOKEN` is not set.',
  },
  { name: 'Service', description: 'Routes that need no key.' },
];

const about = `One HTTP API in front of generation vendors: asynchronous video tasks, and text in three dialects.

Every failure has a status and an error body that its route lists; programs should branch on \`code\`. A method that a route does not support gets 405 \`method_not_allowed\` and \`Allow\`, an unknown route with 404 \`route_not_found\`. The text routes also work without \`/v1\`.`;

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `Authorization: Bearer sk-gw-…`',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key, where clients of the messages dialect put it.',
  },
  mediaToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Part of every signed address; valid for one file and a limited time.',
  },
  adminToken: { type: 'http', scheme: 'bearer', description: 'The operator’s `ADMIN_TOKEN`.' },
} as const;

const withKey = [{ bearer: [] }, { apiKey: [] }];
const securityOf: Readonly<Partial<Record<Access, readonly Json[]>>> = {
  admin: [{ adminToken: [] }],
  'media token': [{ mediaToken: [] }],
  open: [],
};

/**
 * The document of everything that is served, at this address. Built from the schemas that check
 * requests, and those beside the serialisers.
 */
export function buildDocument({
  baseUrl,
  version,
}: {
  readonly baseUrl: string;
  readonly version: string;
}): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = operationObject(operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Generation gateway',
      version,
      description: about,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    tags,
    paths,
    components: {
      securitySchemes,
      schemas: componentSchemas(),
      headers: Object.fromEntries(
        Object.entries(headerComponents).map(([name, { header }]) => [name, header]),
      ),
    },
  };
}

function componentSchemas(): Readonly<Record<string, Schema>> {
  const all: Readonly<Record<string, object>> = {
    Error: errorSchema,
    ...videoSchemas,
    ...resourceSchemas,
    ...textSchemas,
    ...textResponseSchemas,
    ...storedResponseSchemas,
    ...accountSchemas,
    ...adminSchemas,
    ...adminResourceSchemas,
    ...serviceSchemas,
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [
      name,
      {
        ...(inWords(schema) as Schema),
        ...(name in responseExamples && { examples: [responseExamples[name]] }),
      },
    ]),
  );
}

function operationObject(operation: Operation): Json {
  const { id, tag, summary, description, access, body } = operation;
  const scoped =
    access.includes(':') || access === 'text'
      ? `Needs a key with the scope \`${access}\`.`
      : undefined;
  const words = [description, scoped].filter((part) => part !== undefined).join('\n\n');
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(words !== '' && { description: words }),
    security: securityOf[access] ?? withKey,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        ...(body.description !== undefined && { description: body.description }),
        required: body.optional !== true,
        content: body.content,
      },
    }),
    responses: Object.fromEntries(
      Object.entries(responsesOf(operation)).map(([status, response]) => [
        status,
        responseObject(operation, response),
      ]),
    ),
  };
}

const exampleSuffix = '01h455vb4pex5vsknk084sn02q';
/** Of parts of a path that are no ids of ours. */
const pathExamples: Readonly<Record<string, string>> = {
  model: 'sandbox-video',
  response_id: `resp_${exampleSuffix}`,
};

function parametersOf({ path, ids = {}, query = [], headers = [] }: Operation): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const kind = ids[name];
    return {
      name,
      in: 'path',
      required: true,
      schema: kind === undefined ? { type: 'string' } : idSchema(kind),
      example: kind === undefined ? pathExamples[name] : `${idPrefixes[kind]}_${exampleSuffix}`,
    };
  });
  return [
    ...inPath,
    ...query.map((parameter) => parameterObject(parameter, 'query')),
    ...headers.map((parameter) => parameterObject(parameter, 'header')),
  ];
}

const parameterObject = (
  { name, schema, description, required, example }: Parameter,
  place: 'query' | 'header',
): Json => ({
  name,
  in: place,
  description,
  ...(required && { required }),
  schema,
  ...(example !== undefined && { example }),
});

function responseObject(operation: Operation, response: OperationResponse): Json {
  const headers = Object.fromEntries(
    headersOf(operation, response).map((component) => [
      headerComponents[component]?.name ?? component,
      { $ref: `#/components/headers/${component}` },
    ]),
  );
  return {
    description: response.description,
    headers,
    ...(response.content && {
      content: Object.fromEntries(
        Object.entries(response.content).map(([type, schema]) => [type, { schema }]),
      ),
    }),
  };
}

/**
 * `x-must-be` feeds error messages; for readers it is the description. `discriminator` hurries ajv
 * along: each branch has its constant.
 */
function inWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inWords);
  if (typeof value !== 'object' || value === null) return value;
  const { 'x-must-be': mustBe, ...rest } = value as Record<string, unknown>;
  const entries = Object.entries(rest)
    .filter(([name]) => name !== 'discriminator')
    .map(([name, part]) => [name, inWords(part)] as const);
  return {
    ...Object.fromEntries(entries),
    ...(typeof mustBe === 'string' &&
      rest['description'] === undefined && { description: `Must be ${mustBe}.` }),
  };
}
