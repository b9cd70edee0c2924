import type { Schema } from '@gateway/contracts';
import type { OpenApiDocument } from './document.ts';

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Text with code between backticks: all the Markdown that the document uses. */
export const inline = (text: string): string =>
  escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** The same in paragraphs. */
export const prose = (text: string): string =>
  text
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
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

type Document = Pick<OpenApiDocument, 'components'>;

/**
 * An object's fields, with lists in it for objects in it, and one list for each form that a value may
 * take; nothing for other values. With an anchor each field has one of its own.
 */
export function fieldsOf(document: Document, schema: Schema, anchor?: string): string {
  const { properties, required = [] } = schema as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
  };
  if (properties === undefined) {
    return formsOf(schema)
      .map((form, place) =>
        fieldsOf(document, form, place === 0 ? anchor : anchor && `${anchor}~${place}`),
      )
      .join('');
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const own = anchor === undefined ? undefined : `${anchor}.${name}`;
    return `<li${own === undefined ? '' : ` id="${escapeHtml(own)}"`}><code>${escapeHtml(name)}</code>${required.includes(name) ? '' : ' <span class="dim">optional</span>'} ${typeOf(field)}${prose(wordsOf(field))}${fieldsOf(document, field, own)}${foldsOf(document, field)}</li>`;
  });
  return `<ul class="fields">${fields.join('')}</ul>`;
}

const formsOf = ({ items, oneOf }: Schema): readonly Schema[] =>
  [items, oneOf].flat().filter((form): form is Schema => typeof form === 'object' && form !== null);

/** The components that a value may be, to be unfolded in their place; of a union its members. */
export function foldsOf(document: Document, schema: Schema, above: readonly string[] = []): string {
  return namesIn(schema)
    .filter((name) => !above.includes(name))
    .map((name) => {
      const component = document.components.schemas[name] ?? {};
      return hasFields(component)
        ? `<details data-schema="${escapeHtml(name)}"><summary>Fields of ${escapeHtml(name)}</summary></details>`
        : foldsOf(document, component, [...above, name]);
    })
    .join('');
}

const hasFields = (schema: Schema): boolean =>
  schema['properties'] !== undefined || formsOf(schema).some(hasFields);

function namesIn({ $ref: target, items, anyOf, oneOf, allOf }: Schema): readonly string[] {
  if (typeof target === 'string') return [target.slice(target.lastIndexOf('/') + 1)];
  const parts = [items, anyOf, oneOf, allOf].flat() as readonly (Schema | undefined)[];
  return [...new Set(parts.flatMap((part) => (part === undefined ? [] : namesIn(part))))];
}
