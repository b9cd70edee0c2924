import type { Schema } from '@gateway/contracts';
import { curlOf, exampleRequests } from './curl.ts';
import type { OpenApiDocument } from './document.ts';
import { script, style } from './page-parts.ts';
import { escapeHtml, fieldsOf, prose, typeOf, wordsOf } from './schema-html.ts';

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: DocumentedOperation;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly description?: string;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly headers: object;
        readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
      }
    >
  >;
}

const titleOf = ({
  info,
}: OpenApiDocument): { title: string; version: string; description: string } =>
  info as { title: string; version: string; description: string };

const shell = (title: string, body: string): string =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}<script>${script}</script></body></html>\n`;

/** The front door for people. */
export function renderLanding(document: OpenApiDocument): string {
  const { title, version, description } = titleOf(document);
  const [intro = ''] = description.split('\n\n');
  const groups = document.tags
    .map(
      ({ name, description: about }) =>
        `<tr><td><a href="/docs#${anchorOf(name)}">${escapeHtml(name)}</a></td><td>${escapeHtml(about)}</td></tr>`,
    )
    .join('');
  return shell(
    title,
    `<main class="alone"><h1>${escapeHtml(title)}</h1>${prose(intro)}<p><a href="/docs"><strong>API reference</strong></a> · <a href="/openapi.json">OpenAPI document</a></p><table>${groups}</table><p class="dim">Version ${escapeHtml(version)}</p></main>`,
  );
}

/** The whole document as one page. */
export function renderDocs(document: OpenApiDocument): string {
  const { title, version, description } = titleOf(document);
  const all: readonly Shown[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as DocumentedOperation,
    })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    shown: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const links = groups
    .map(
      ({ name, shown }) =>
        `<h2><a href="#${anchorOf(name)}">${escapeHtml(name)}</a></h2><ul>${shown.map(({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a></li>`).join('')}</ul>`,
    )
    .join('');
  const sections = groups
    .map(
      ({ name, description: about, shown }) =>
        `<section id="${anchorOf(name)}"><h2>${escapeHtml(name)}</h2>${prose(about)}${shown.map((each) => articleOf(document, each)).join('')}</section>`,
    )
    .join('');
  const nav = `<nav aria-label="Routes"><a href="/"><strong>${escapeHtml(title)}</strong></a> <span class="dim">${escapeHtml(version)}</span><input id="filter" type="search" placeholder="Find a route" aria-label="Find a route">${links}<h2><a href="#schemas">Schemas</a></h2><p><button id="theme" type="button">Theme</button></p></nav>`;
  return shell(
    `${title}: API reference`,
    `<div class="frame">${nav}<main><h1>API reference</h1>${prose(description)}${accessOf(document)}${sections}${schemasOf(document)}</main></div>`,
  );
}

const anchorOf = (tag: string): string => `tag-${tag.toLowerCase()}`;

function accessOf({ components: { securitySchemes } }: OpenApiDocument): string {
  const rows = Object.entries(securitySchemes)
    .map(
      ([name, scheme]) =>
        `<tr><td><code>${escapeHtml(name)}</code></td><td>${prose((scheme as { description: string }).description)}</td></tr>`,
    )
    .join('');
  return `<h2 id="access">Access</h2><table>${rows}</table><p>The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>`;
}

function articleOf(document: OpenApiDocument, { path, method, operation }: Shown): string {
  const { operationId, summary, description, requestBody } = operation;
  const [server] = document.servers;
  const examples = exampleRequests(document, path, method)
    .map(
      (request) =>
        `<p class="dim">${escapeHtml(request.summary)}</p><pre><code>${escapeHtml(curlOf(server?.url ?? '', request))}</code></pre>`,
    )
    .join('');
  const body =
    requestBody === undefined
      ? ''
      : `<h4>Body</h4>${prose(requestBody.description ?? '')}${Object.entries(requestBody.content)
          .map(([type, { schema }]) => `<p><code>${escapeHtml(type)}</code> ${typeOf(schema)}</p>`)
          .join('')}`;
  return `<article id="${operationId}"><h3><a href="#${operationId}">${escapeHtml(summary)}</a></h3><p class="route"><span class="verb ${method}">${method.toUpperCase()}</span>${escapeHtml(path)}</p>${prose(description ?? '')}${parametersOf(operation)}${body}${examples}<h4>Responses</h4>${responsesOf(operation)}</article>`;
}

function parametersOf({ parameters = [] }: DocumentedOperation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code> <span class="dim">${place}${required === true ? '' : ', optional'}</span></td><td>${typeOf(schema)}${prose(description ?? wordsOf(schema))}</td></tr>`,
  );
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`;
}

function responsesOf({ responses }: DocumentedOperation): string {
  return Object.entries(responses)
    .map(([status, { description, headers, content = {} }]) => {
      const bodies = Object.entries(content)
        .map(([type, { schema }]) => `<p><code>${escapeHtml(type)}</code> ${typeOf(schema)}</p>`)
        .join('');
      const names = Object.keys(headers)
        .map((name) => `<code>${escapeHtml(name)}</code>`)
        .join(' ');
      return `<details${status === '200' ? ' open' : ''}><summary><strong>${status}</strong> ${escapeHtml(
        description
          .split('\n\n')
          .map((line) => /^`(\w+)`/.exec(line)?.[1] ?? line)
          .join(', '),
      )}</summary>${description.startsWith('`') ? prose(description) : ''}${bodies}<p class="dim">Headers: ${names}</p></details>`;
    })
    .join('');
}

const exampleOf = ({ examples }: Schema): string =>
  Array.isArray(examples)
    ? `<pre><code>${escapeHtml(JSON.stringify(examples[0], null, 2))}</code></pre>`
    : '';

function schemasOf({ components: { schemas } }: OpenApiDocument): string {
  const all = Object.entries(schemas).map(
    ([name, schema]) =>
      `<article id="schema-${escapeHtml(name)}"><h3><a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a></h3>${prose(wordsOf(schema))}${fieldsOf(schema)}${exampleOf(schema)}</article>`,
  );
  return `<section id="schemas"><h2>Schemas</h2>${all.join('')}</section>`;
}
