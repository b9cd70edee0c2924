import { errorCatalogue } from '@gateway/domain';
import type { Schema } from '@gateway/contracts';
import type { OpenApiDocument } from './document.ts';
import { codesIn, resolved, type DocumentedResponse } from './documented-response.ts';
import { exampleLanguages, exampleRequests } from './examples/index.ts';
import { escapeHtml, fieldsOf, foldsOf, inline, prose, typeOf, wordsOf } from './schema-html.ts';

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
    readonly style?: string;
    readonly example?: string | number;
  }[];
  readonly requestBody?: {
    readonly description?: string;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface ShownOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: DocumentedOperation;
}

/** One route: what it does, what it takes, how to call it, and everything it may respond. */
export function articleOf(
  document: OpenApiDocument,
  { path, method, operation }: ShownOperation,
  canSend: boolean,
): string {
  const { operationId, summary, description = '' } = operation;
  const route = `${method.toUpperCase()} ${path}`;
  return [
    `<article id="${operationId}" data-route="${escapeHtml(route)}">`,
    `<h3><a href="#${operationId}">${escapeHtml(summary)}</a></h3>`,
    `<p class="route"><span class="verb ${method}">${method.toUpperCase()}</span> ${escapeHtml(path)}</p>`,
    `<div class="about">${prose(description)}</div>`,
    parametersOf(operation),
    bodyOf(document, operation),
    examplesOf(document, path, method),
    canSend
      ? `<details class="try" data-operation="${operationId}"><summary>Try it</summary></details>`
      : '',
    `<h4>Responses</h4>${responsesOf(document, operation)}</article>`,
  ].join('');
}

function parametersOf({ operationId, parameters = [] }: DocumentedOperation): string {
  if (parameters.length === 0) return '';
  const lines = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<li id="${operationId}.${place}.${escapeHtml(name)}"><code>${escapeHtml(name)}</code> <span class="dim">${place}${required === true ? '' : ', optional'}</span> ${typeOf(schema)}${prose(description ?? wordsOf(schema))}</li>`,
  );
  return `<h4>Parameters</h4><ul class="fields">${lines.join('')}</ul>`;
}

function bodyOf(
  document: OpenApiDocument,
  { operationId, requestBody }: DocumentedOperation,
): string {
  if (requestBody === undefined) return '';
  const types = new Map<string, string[]>();
  for (const [type, { schema }] of Object.entries(requestBody.content)) {
    const fields = fieldsOf(document, bodySchema(document, schema), operationId);
    const shown = `${typeOf(schema)}${fields === '' ? foldsOf(document, schema) : fields}`;
    types.set(shown, [...(types.get(shown) ?? []), `<code>${escapeHtml(type)}</code>`]);
  }
  const forms = [...types].map(([shown, names]) => `<p>${names.join(' ')}</p>${shown}`);
  return `<h4>Body</h4>${prose(requestBody.description ?? '')}${forms.join('')}`;
}

/** The fields of a body stand with its route. */
function bodySchema({ components }: OpenApiDocument, schema: Schema): Schema {
  const { $ref: target } = schema;
  if (typeof target !== 'string') return schema;
  return components.schemas[target.slice(target.lastIndexOf('/') + 1)] ?? {};
}

function examplesOf(document: OpenApiDocument, path: string, method: string): string {
  const address = document.servers[0]?.url ?? '';
  return exampleRequests(document, path, method)
    .map(
      (request) =>
        `<p class="dim">${escapeHtml(request.summary)}</p><div class="languages">${Object.entries(
          exampleLanguages,
        )
          .map(
            ([language, codeOf]) =>
              `<div class="language" data-language="${language}"><pre><code>${escapeHtml(codeOf(address, request))}</code></pre></div>`,
          )
          .join('')}</div>`,
    )
    .join('');
}

function responsesOf(document: OpenApiDocument, { responses }: DocumentedOperation): string {
  return Object.entries(responses)
    .map(([status, response]) => {
      const { description, headers, content = {} } = resolved(document, response);
      const bodies = Object.entries(content)
        .map(
          ([type, { schema }]) =>
            `<p><code>${escapeHtml(type)}</code> ${typeOf(schema)}</p>${foldsOf(document, schema)}`,
        )
        .join('');
      const names = Object.keys(headers)
        .map((name) => `<code>${escapeHtml(name)}</code>`)
        .join(' ');
      const codes = codesIn(response);
      const meanings = codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`);
      return `<details${status === '200' ? ' open' : ''}><summary><strong>${status}</strong> ${inline(
        codes.length === 0 ? description : codes.join(', '),
      )}</summary>${prose(meanings.join('\n\n'))}${bodies}<p class="dim">Headers: ${names}</p></details>`;
    })
    .join('');
}
