import type { Schema } from '@gateway/contracts';

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Paragraphs, and code between backticks: all the Markdown that the document uses. */
export const prose = (text: string): string =>
  text
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escapeHtml(paragraph).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('');

export const wordsOf = ({ description }: Schema): string =>
  typeof description === 'string' ? description : '';

/** What a value is, on one line. Components are links. */
export function typeOf(schema: Schema): string {
  const { $ref: target, const: only, enum: values, anyOf, oneOf, allOf, items, type } = schema;
  if (typeof target === 'string') return linkTo(target);
  if (only !== undefined) return `<code>${escapeHtml(JSON.stringify(only))}</code>`;
  if (Array.isArray(values)) {
    return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  }
  const parts = [anyOf, oneOf, allOf].find(Array.isArray) as readonly Schema[] | undefined;
  if (parts !== undefined) {
    return Array.isArray(allOf) ? typeOf(parts[0] ?? {}) : parts.map(typeOf).join(' or ');
  }
  const words =
    [type]
      .flat()
      .filter((word) => typeof word === 'string')
      .join(' or ') || 'anything';
  return typeof items === 'object' && items !== null
    ? `${escapeHtml(words)} of ${typeOf(items as Schema)}`
    : `${escapeHtml(words)}${boundsOf(schema)}`;
}

function linkTo(target: string): string {
  const name = target.slice(target.lastIndexOf('/') + 1);
  return `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
}

const bounds: readonly (readonly [keyword: string, word: string])[] = [
  ['minimum', 'from'],
  ['maximum', 'to'],
  ['minLength', 'at least'],
  ['maxLength', 'at most'],
  ['maxItems', 'at most'],
  ['format', ''],
  ['default', 'default'],
];

function boundsOf(schema: Schema): string {
  const said = bounds
    .filter(([keyword]) => ['string', 'number'].includes(typeof schema[keyword]))
    .map(([keyword, word]) => `${word} ${String(schema[keyword])}`.trim());
  return said.length === 0 ? '' : ` <span class="dim">${escapeHtml(said.join(' '))}</span>`;
}

/** A table of an object's fields, with tables in it for objects in it; nothing for other values. */
export function fieldsOf(schema: Schema): string {
  const {
    properties,
    required = [],
    items,
    oneOf,
  } = schema as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
    items?: Schema;
    oneOf?: readonly Schema[];
  };
  if (properties === undefined) {
    return [...(items === undefined ? [] : [items]), ...(oneOf ?? [])].map(fieldsOf).join('');
  }
  const rows = Object.entries(properties).map(([name, field]) => {
    return `<tr><td><code>${escapeHtml(name)}</code>${required.includes(name) ? '' : ' <span class="dim">optional</span>'}</td><td>${typeOf(field)}${prose(wordsOf(field))}${fieldsOf(field)}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}
