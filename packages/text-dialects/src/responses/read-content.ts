import { type ReadPart, readParts, textOf } from '../chat/read-content.ts';
import { readFile, readImageUrl } from '../chat/read-media.ts';
import { invalid, unsupported } from '../chat/refuse.ts';
import type { Fields } from '../json.ts';
import type {
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
} from '../neutral.ts';
import { known, readList, readRecord, readString, readText } from '../values.ts';
import { unsealThoughts } from './sealed-thoughts.ts';

const shownParts: Readonly<Record<string, ReadPart>> = {
  input_text: textOf,
  input_image: readImage,
  input_file: readInputFile,
  // What a model wrote may be shown to it again by hand.
  output_text: textOf,
  text: textOf,
};

const assistantParts: Readonly<Record<string, ReadPart>> = {
  output_text: textOf,
  refusal: (part) => ({ type: 'text', text: readString(part['refusal']) ?? '' }),
  input_text: textOf,
  text: textOf,
};

const systemParts: Readonly<Record<string, ReadPart>> = { input_text: textOf, text: textOf };

/** Each reader takes a `content` or an `output` as it came: a string or a list of parts. */
export const readUserContent = (content: unknown, path: string): Part[] =>
  readParts(content, path, shownParts);
export const readAssistantContent = (content: unknown, path: string): Part[] =>
  readParts(content, path, assistantParts);
export const readSystemContent = (content: unknown, path: string): TextPart[] =>
  readParts(content, path, systemParts) as TextPart[];
export const readOutput = (output: unknown, path: string): ToolResultPart['content'] =>
  readParts(output, path, shownParts) as (TextPart | ImagePart | DocumentPart)[];

function readImage(part: Fields, path: string): ImagePart {
  refuseFileId(part, path, 'image_url, an address or a data: URL');
  return readImageUrl(part, path);
}

function readInputFile(part: Fields, path: string): DocumentPart | ImagePart {
  refuseFileId(part, path, 'file_data or file_url');
  const url = readText(part['file_url']);
  if (url === undefined) return readFile(part, path);
  if (!/^https?:\/\//i.test(url)) throw invalid(`${path}.file_url`, 'must be an http(s) address');
  return {
    type: 'document',
    source: { kind: 'url', url },
    ...known({ title: readText(part['filename']) }),
  };
}

function refuseFileId(part: Fields, path: string, remedy: string): void {
  if (readText(part['file_id']) === undefined) return;
  throw unsupported(
    `${path}.file_id`,
    `is not available here: no files are kept; send the file itself as ${remedy}`,
  );
}

/** What carries the proof counts; failing that, the thoughts as they were shown. */
export function readReasoningItem(item: Fields): ReasoningPart[] {
  const sealed = unsealThoughts(item['encrypted_content']);
  if (sealed !== undefined) return [sealed];
  const shown = [...(readList(item['summary']) ?? []), ...(readList(item['content']) ?? [])]
    .map((part) => readString(readRecord(part)?.['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
  return shown === '' ? [] : [{ type: 'reasoning', text: shown }];
}
