import { idPrefixes } from '@gateway/domain';
import {
  idSchema,
  type Access,
  type Operation,
  type OperationResponse,
  type Parameter,
} from './operation.ts';
import { failuresOf, headerComponents, headersOf } from './responses.ts';

type Json = Readonly<Record<string, unknown>>;

const withKey = [{ bearer: [] }, { apiKey: [] }, { session: [] }];
const otherwise: Readonly<Partial<Record<Access, readonly Json[]>>> = {
  session: [{ session: [] }],
  admin: [{ adminToken: [] }, { adminSession: [] }],
  'operator session': [{ adminSession: [] }],
  'media token': [{ mediaToken: [] }],
  open: [],
};

/** What a request must carry: one of these. */
export const securityOf = ({ access }: Pick<Operation, 'access'>): readonly Json[] =>
  otherwise[access] ?? withKey;

/** An operation as OpenAPI writes it. */
export function operationObject(operation: Operation): Json {
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
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        ...(body.description !== undefined && { description: body.description }),
        required: body.optional !== true,
        content: body.content,
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [
          status,
          responseObject(response, headersOf(operation, response)),
        ]),
      ),
      ...Object.fromEntries(
        failuresOf(operation).map(({ status, component, response, codes }) => [
          status,
          {
            $ref: `#/components/responses/${component}`,
            description:
              codes.length === 0
                ? response.description
                : codes.map((code) => `\`${code}\``).join(', '),
          },
        ]),
      ),
    },
  };
}

const exampleSuffix = '01h455vb4pex5vsknk084sn02q';
/** Of parts of a path that are no ids of ours. */
const plainParts: Readonly<Record<string, { description: string; example: string }>> = {
  model: { description: 'The name of a model.', example: 'sandbox-video' },
  response_id: { description: 'Id of a kept response.', example: `resp_${exampleSuffix}` },
};

function parametersOf({ path, ids = {}, query = [], headers = [] }: Operation): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const kind = ids[name];
    if (kind === undefined) {
      return { name, in: 'path', required: true, schema: { type: 'string' }, ...plainParts[name] };
    }
    const { description, ...schema } = idSchema(kind);
    const example = `${idPrefixes[kind]}_${exampleSuffix}`;
    return { name, in: 'path', required: true, description, schema, example };
  });
  return [
    ...inPath,
    ...query.map((parameter) => parameterObject(parameter, 'query')),
    ...headers.map((parameter) => parameterObject(parameter, 'header')),
  ];
}

const parameterObject = (
  { name, schema, description, required, style, example }: Parameter,
  place: 'query' | 'header',
): Json => ({
  name,
  in: place,
  description,
  ...(required && { required }),
  ...(style && { style, explode: true }),
  // An empty value is the same as none.
  ...(place === 'query' && { allowEmptyValue: true }),
  schema,
  ...(example !== undefined && { example }),
});

/** A response as OpenAPI writes it, with these headers. */
export function responseObject(
  { description, content }: OperationResponse,
  headerNames: readonly string[],
): Json {
  const headers = Object.fromEntries(
    headerNames.map((component) => [
      headerComponents[component]?.name ?? component,
      { $ref: `#/components/headers/${component}` },
    ]),
  );
  return {
    description,
    headers,
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, schema]) => [type, { schema }]),
      ),
    }),
  };
}
