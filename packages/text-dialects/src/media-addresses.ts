import { isFields } from './json.ts';

/** An address in a request from which its upstream fetches an image, a document or a sound. */
export interface MediaAddress {
  /** Where it stands, as in `messages[0].content[1].image_url.url`. */
  readonly param: string;
  readonly address: string;
}

/** Fields of content blocks that hold media, in any dialect and its common extensions. */
const mediaFields = [
  'image_url',
  'video_url',
  'audio_url',
  'file_url',
  'document_url',
  'input_audio',
  'file',
  'image',
  'video',
  'audio',
] as const;

/** Where such a field keeps an address, unless it is one itself. */
const addressFields = ['url', 'data', 'file_data', 'file_url'] as const;

/** What is no address is data: base64 has no colon. Parsers skip what stands before the scheme. */
const address = /^[\u0000-\u0020]*(?!data:)[a-z][a-z0-9+.-]*:/i;
/** Some clients take this for an address of the scheme they like. */
const withoutScheme = /^[\u0000-\u0020]*[/\\]{2}/;

/**
 * The addresses in a body's messages or input, those inside tool results too; undefined when there
 * is none.
 * What a tool was called with is not looked at: no upstream fetches from there.
 */
export function mediaAddressesOf(
  body: Readonly<Record<string, unknown>>,
): readonly MediaAddress[] | undefined {
  const found: MediaAddress[] = [];
  readContent(body['messages'], 'messages', found);
  readContent(body['input'], 'input', found);
  return found.length === 0 ? undefined : found;
}

function readBlock(block: unknown, param: string, found: MediaAddress[]): void {
  if (!isFields(block)) return;
  for (const field of mediaFields) {
    if (block[field] !== undefined) readMedia(block[field], `${param}.${field}`, found);
  }
  readSource(block['source'], `${param}.source`, found);
  readContent(block['content'], `${param}.content`, found);
  readContent(block['output'], `${param}.output`, found);
}

/** Of the messages dialect. Its `data` is base64 or plain text; a search result's is a text. */
function readSource(source: unknown, param: string, found: MediaAddress[]): void {
  if (!isFields(source)) return;
  readMedia(source['url'], `${param}.url`, found);
  readContent(source['content'], `${param}.content`, found);
}

function readContent(content: unknown, param: string, found: MediaAddress[]): void {
  if (!Array.isArray(content)) return;
  content.forEach((block, index) => {
    readBlock(block, `${param}[${index}]`, found);
  });
}

function readMedia(value: unknown, param: string, found: MediaAddress[]): void {
  if (typeof value === 'string') {
    if (address.test(value) || withoutScheme.test(value)) found.push({ param, address: value });
  } else if (Array.isArray(value)) {
    value.forEach((each, index) => {
      readMedia(each, `${param}[${index}]`, found);
    });
  } else if (isFields(value)) {
    for (const field of addressFields) readMedia(value[field], `${param}.${field}`, found);
  }
}
