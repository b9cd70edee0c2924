import type { Schema } from '@gateway/contracts';
import { createComponents, type Components } from './components.ts';
import { adminResourceSchemas } from '../http/admin-resource-schemas.ts';
import { resourceSchemas } from '../http/resource-schemas.ts';
import { textResponseSchemas } from './text-schemas.ts';
import { modelSchemas } from './model-schemas.ts';
import { responseExamples } from './response-examples.ts';
import { operationObject, responseObject, securityOf } from './operation-object.ts';
import { errorSchema, failuresOf, headerComponents } from './responses.ts';
import { callbackRequests, callbackRequestSchemas } from './callback-requests.ts';
import type { Operation } from './operation.ts';
import { customerCookie, operatorCookie } from '../http/session-cookie.ts';
import { accountCallbackSchemas } from './operations/account-callbacks.ts';
import { endpointSchemas } from './operations/endpoints.ts';
import { accountSchemas } from './operations/account.ts';
import { adminCallbackSchemas } from './operations/admin-callbacks.ts';
import { adminSchemas } from './operations/admin.ts';
import { operations } from './operations/index.ts';
import { eventSchemas } from './operations/events.ts';
import { mcpSchemas } from './operations/mcp.ts';
import { receiptSchemas } from './operations/receipts.ts';
import { serviceSchemas } from './operations/service.ts';
import { sessionSchemas } from './operations/sessions.ts';
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
  readonly webhooks?: Json; // OpenAPI's word for what is sent to callback addresses
  readonly components: {
    readonly securitySchemes: Json;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Json>>;
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
  { name: 'Agents', description: 'Tools for agents, by the Model Context Protocol.' },
  { name: 'Models', description: 'The models that a key may use.' },
  { name: 'Billing', description: 'Balance, ledger and usage.' },
  { name: 'Keys', description: 'Keys that an account makes itself.' },
  { name: 'Sessions', description: 'Browsers that signed in with a key.' },
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
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: customerCookie.name,
    description: 'The session of a browser that signed in with a key.',
  },
  adminSession: {
    type: 'apiKey',
    in: 'cookie',
    name: operatorCookie.name,
    description: 'The session of an operator’s browser.',
  },
} as const;

const videoTags = [
  'Videos',
  'Assets',
  'Callbacks',
  'Models',
  'Billing',
  'Keys',
  'Sessions',
] as const;

/** What a client of one kind needs; the whole has all of it. */
export const documentParts = {
  video: videoTags,
  text: ['Text', 'Models'],
  /** What the TypeScript client knows, of customers and operators. */
  client: [...videoTags, 'Administration'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type DocumentPart = keyof typeof documentParts;

/**
 * The document of everything that is served at this address, or a part of it. Built from the
 * schemas that check requests, and those beside the serialisers.
 */
export function buildDocument({
  baseUrl,
  version,
  part,
}: {
  readonly baseUrl: string;
  readonly version: string;
  readonly part?: DocumentPart | undefined;
}): OpenApiDocument {
  const shownTags = tags.filter(
    ({ name }) => part === undefined || (documentParts[part] as readonly string[]).includes(name),
  );
  const isShown = ({ tag }: Pick<Operation, 'tag'>): boolean =>
    shownTags.some(({ name }) => name === tag);
  const shown = operations.filter(isShown);
  const components = createComponents();
  addSchemas(components);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of shown) {
    (paths[operation.path] ??= {})[operation.method] = components.show(
      operationObject(operation),
    ) as Json;
  }
  const sent = part === 'text' ? {} : { ['webhooks']: components.show(callbackRequests) as Json };
  const used = withWhatTheyReferTo(
    { paths, ...sent },
    {
      schemas: components.schemas,
      responses: components.show(sharedResponses(shown)) as Readonly<Record<string, Json>>,
      headers: Object.fromEntries(
        Object.entries(headerComponents).map(([name, { header }]) => [name, header]),
      ),
    },
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Generation gateway',
      version,
      description: about,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    tags: shownTags,
    paths,
    ...sent,
    components: { securitySchemes: securitySchemesOf(shown), ...used },
  };
}

const securitySchemesOf = (shown: readonly Operation[]): Json =>
  Object.fromEntries(
    Object.entries(securitySchemes).filter(([name]) =>
      shown.some((operation) => name in Object.assign({}, ...securityOf(operation))),
    ),
  );

/** Failures that several routes report in the same way. */
const sharedResponses = (shown: readonly Operation[]): Json =>
  Object.fromEntries(
    shown
      .flatMap(failuresOf)
      .map(({ component, response }) => [
        component,
        responseObject(response, response.headers ?? []),
      ]),
  );

type Kinds = Pick<OpenApiDocument['components'], 'schemas' | 'responses' | 'headers'>;

/** Of all components those that these places refer to, directly or by others. */
function withWhatTheyReferTo(places: unknown, all: Kinds): Kinds {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/(\w+)\/([\w-]+)"/g,
    )) {
      const place = `${kind}/${name}`;
      if (used.has(place)) continue;
      used.add(place);
      visit((all as unknown as Record<string, Record<string, unknown>>)[kind]?.[name] ?? null);
    }
  };
  visit(places);
  const usedOf = <Value>(kind: string, components: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(components).filter(([name]) => used.has(`${kind}/${name}`)));
  return {
    schemas: usedOf('schemas', all.schemas),
    responses: usedOf('responses', all.responses),
    headers: usedOf('headers', all.headers),
  };
}

function addSchemas({ add }: Components): void {
  const all: Readonly<Record<string, object>> = {
    Error: errorSchema,
    ...videoSchemas,
    ...resourceSchemas,
    ...callbackRequestSchemas,
    ...modelSchemas,
    ...textSchemas,
    ...textResponseSchemas,
    ...storedResponseSchemas,
    ...accountSchemas,
    ...sessionSchemas,
    ...eventSchemas,
    ...accountCallbackSchemas,
    ...endpointSchemas,
    ...adminSchemas,
    ...adminResourceSchemas,
    ...adminCallbackSchemas,
    ...serviceSchemas,
    ...mcpSchemas,
    ...receiptSchemas,
  };
  for (const [name, schema] of Object.entries(all)) {
    add(name, {
      ...schema,
      ...(name in responseExamples && { examples: [responseExamples[name]] }),
    });
  }
}
