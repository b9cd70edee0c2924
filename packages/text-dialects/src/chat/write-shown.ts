import type { Fields } from '../json.ts';
import type { DocumentPart, ImagePart, Part, TextPart, TextRequest } from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';

export type ShownPart = TextPart | ImagePart | DocumentPart;

/** What a user shows, as the content of one message. */
export function writeShown(parts: readonly ShownPart[], quirks: ChatQuirks): unknown {
  const isPlain = (part: ShownPart): boolean =>
    textOf(part, quirks) !== undefined && !(quirks.cacheControl && part.cacheControl !== undefined);
  if ((parts.length === 1 || !quirks.textParts) && parts.every(isPlain)) {
    return parts.map((part) => textOf(part, quirks)).join('\n');
  }
  return parts.map((part) => writeShownPart(part, quirks));
}

export function writeShownPart(part: ShownPart, quirks: ChatQuirks): Fields {
  const cache = quirks.cacheControl &&
    part.cacheControl !== undefined && { cache_control: part.cacheControl };
  if (part.type === 'image') {
    const { source, detail } = part;
    const url =
      source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
    return {
      type: 'image_url',
      image_url: { url, ...(detail !== undefined && { detail }) },
      ...cache,
    };
  }
  const text = textOf(part, quirks);
  return text === undefined && part.type === 'document'
    ? { ...writeFile(part), ...cache }
    : { type: 'text', text, ...cache };
}

/**
 * The words of a text, of a document that is one, or in place of a document that the upstream
 * cannot be shown: it stays in the history, and to refuse it would refuse all that is asked after
 * it. Undefined for what can be looked at only.
 */
export function textOf(part: ShownPart, quirks: ChatQuirks): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type === 'image') return undefined;
  const { source, title } = part;
  if (source.kind === 'text') return documentText(part, source.text);
  return isHidden(part, quirks)
    ? `[A document${title === undefined ? '' : ` (${title})`} cannot be shown to this model. Say so if it is needed: its text can be sent instead.]`
    : undefined;
}

const documentText = ({ title, context }: DocumentPart, text: string): string =>
  [title, context, text].filter((line) => line !== undefined).join('\n');

const isHidden = (part: Part, { fileParts }: ChatQuirks): boolean =>
  part.type === 'document' &&
  part.source.kind !== 'text' &&
  (fileParts === 'none' || (part.source.kind === 'url' && fileParts === 'data'));

/** Whether the conversation has a document for which there are only words. */
export const hidesDocuments = ({ turns }: TextRequest, quirks: ChatQuirks): boolean =>
  turns.some(({ parts }) =>
    parts.some((part) =>
      part.type === 'tool_result'
        ? part.content.some((each) => isHidden(each, quirks))
        : isHidden(part, quirks),
    ),
  );

function writeFile({ source, title }: DocumentPart): Fields {
  const data =
    source.kind === 'base64'
      ? `data:${source.mediaType};base64,${source.data}`
      : source.kind === 'url'
        ? source.url
        : source.text;
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: data } };
}
