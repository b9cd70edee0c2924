import type { OpenApiDocument } from './document.ts';
import { articleOf, type DocumentedOperation, type ShownOperation } from './operation-html.ts';
import {
  dataElement,
  policyFor,
  scriptElements,
  styleElement,
  type PageScript,
} from './page-assets.ts';
import { escapeHtml, fieldsOf, foldsOf, inline, prose, typeOf, wordsOf } from './schema-html.ts';
import type { Schema } from '@gateway/contracts';
import { sendableOperation } from './sendable-operation.ts';

export interface RenderedPage {
  readonly html: string;
  readonly policy: string;
}

const titleOf = ({
  info,
}: OpenApiDocument): { title: string; version: string; description: string } =>
  info as { title: string; version: string; description: string };

const shell = (title: string, body: string, scripts: readonly PageScript[]): RenderedPage => ({
  html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title>${styleElement}</head><body>${body}${scriptElements(scripts)}</body></html>\n`,
  policy: policyFor(scripts),
});

/** The front door for people. */
export function renderLanding(
  document: OpenApiDocument,
  { hasConsole }: { readonly hasConsole: boolean },
): RenderedPage {
  const consoleLink = hasConsole ? '<a href="/console"><strong>Console</strong></a> · ' : '';
  const { title, version, description } = titleOf(document);
  const [intro = ''] = description.split('\n\n');
  const groups = document.tags
    .map(
      ({ name, description: about }) =>
        `<li><a href="/docs#${anchorOf(name)}">${escapeHtml(name)}</a>: ${inline(about)}</li>`,
    )
    .join('');
  return shell(
    title,
    `<main class="alone"><h1>${escapeHtml(title)}</h1>${prose(intro)}<p>${consoleLink}<a href="/docs"><strong>API reference</strong></a> · <a href="/openapi.json">OpenAPI document</a></p><ul class="groups">${groups}</ul><p class="dim">Version ${escapeHtml(version)}</p></main>`,
    ['theme'],
  );
}

/** The whole document as one page. */
export function renderDocs(document: OpenApiDocument): RenderedPage {
  const { title, description } = titleOf(document);
  const all: readonly ShownOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as DocumentedOperation,
    })),
  );
  const sendable = Object.fromEntries(
    all.map((each) => [each.operation.operationId, sendableOperation(document, each)]),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    shown: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const sections = groups
    .map(({ name, description: about, shown }) => {
      const articles = shown.map((each) =>
        articleOf(document, each, sendable[each.operation.operationId] !== undefined),
      );
      return `<section id="${anchorOf(name)}"><h2>${escapeHtml(name)}</h2>${prose(about)}${articles.join('')}</section>`;
    })
    .join('');
  const main = `<main><h1>API reference</h1>${prose(description)}${accessOf(document)}${sections}${schemasOf(document)}</main>`;
  return shell(
    `${title}: API reference`,
    `<div class="frame">${navigationOf(document, groups)}${main}</div>${dataElement('operations', sendable)}`,
    ['theme', 'parts', 'languages', 'search', 'send'],
  );
}

function navigationOf(
  document: OpenApiDocument,
  groups: readonly { readonly name: string; readonly shown: readonly ShownOperation[] }[],
): string {
  const { title, version } = titleOf(document);
  const links = groups
    .map(
      ({ name, shown }) =>
        `<h2><a href="#${anchorOf(name)}">${escapeHtml(name)}</a></h2><ul>${shown.map(({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a></li>`).join('')}</ul>`,
    )
    .join('');
  return [
    '<nav aria-label="Reference"><div class="bar">',
    `<a href="/"><strong>${escapeHtml(title)}</strong></a> <span class="dim">${escapeHtml(version)}</span> `,
    '<button id="theme" type="button">Theme</button> ',
    '<button id="menu" type="button" aria-expanded="false" aria-controls="lists" hidden>Routes</button>',
    '<input id="find" type="search" placeholder="Path, method, field, code …" aria-label="Find a route, a field or an error code" autocomplete="off">',
    '<p id="found" class="dim" role="status"></p></div>',
    `<div id="lists"><ul id="results" hidden></ul><div id="routes">${links}<h2><a href="#schemas">Schemas</a></h2></div></div></nav>`,
  ].join('');
}

const anchorOf = (tag: string): string => `tag-${tag.toLowerCase()}`;

function accessOf({ components: { securitySchemes } }: OpenApiDocument): string {
  const lines = Object.entries(securitySchemes)
    .map(
      ([name, scheme]) =>
        `<li><code>${escapeHtml(name)}</code>: ${inline((scheme as { description: string }).description)}</li>`,
    )
    .join('');
  return `<h2 id="access">Access</h2><ul class="groups">${lines}</ul><p>The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>`;
}

const exampleOf = ({ examples }: Schema): string =>
  Array.isArray(examples)
    ? `<pre><code>${escapeHtml(JSON.stringify(examples[0], null, 2))}</code></pre>`
    : '';

/** The fields, once in the page; routes unfold a copy. */
function shapeOf(document: OpenApiDocument, schema: Schema, anchor: string): string {
  const fields = fieldsOf(document, schema, anchor);
  return fields === ''
    ? `<p>${typeOf(schema)}</p>${foldsOf(document, schema)}`
    : `<div class="shape">${fields}</div>`;
}

function schemasOf(document: OpenApiDocument): string {
  const all = Object.entries(document.components.schemas).map(([name, schema]) => {
    const anchor = `schema-${escapeHtml(name)}`;
    return `<article id="${anchor}"><h3><a href="#${anchor}">${escapeHtml(name)}</a></h3><div class="about">${prose(wordsOf(schema))}</div>${shapeOf(document, schema, anchor)}${exampleOf(schema)}</article>`;
  });
  return `<section id="schemas"><h2>Schemas</h2>${all.join('')}</section>`;
}
