import type { Fields } from '../json.ts';
import type { DocumentPart, ImagePart, MediaSource } from '../neutral.ts';
import { known, readRecord, readString, readText } from '../values.ts';
import { invalid, unsupported } from './refuse.ts';

/** First bytes of the pictures that a messages upstream takes, in Latin-1. */
const pictureSigns: readonly (readonly [mediaType: string, sign: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];
const pdfSign = /^%PDF-/;
/** Characters of base64 that hold the longest of these signs. */
const signCharacters = 24;

/** A picture of the chat dialect: `image_url` with an address, or `input_image` with a bare one. */
export function readImageUrl(part: Fields, path: string): ImagePart {
  const field = readRecord(part['image_url']);
  const param = field === undefined ? `${path}.image_url` : `${path}.image_url.url`;
  const url = readText(field?.['url'] ?? part['image_url']);
  if (url === undefined) throw invalid(param, 'must be an address or a data: URL');
  const detail = readText(field?.['detail'] ?? part['detail']);
  return { type: 'image', source: imageSource(url, param), ...known({ detail }) };
}

function imageSource(url: string, param: string): MediaSource {
  if (/^https?:\/\//i.test(url)) return { kind: 'url', url };
  const data = readDataUrl(url);
  if (data === undefined) throw invalid(param, 'must be an http(s) address or a base64 data: URL');
  return imageBytes(data.mediaType, data.base64, param);
}

/** Clients often declare the wrong type; the bytes know better. */
function imageBytes(declared: string, base64: string, param: string): MediaSource {
  const begin = beginningOf(base64);
  const mediaType =
    pictureSigns.find(([, sign]) => sign.test(begin))?.[0] ??
    declared.replace('image/jpg', 'image/jpeg');
  if (!pictureSigns.some(([accepted]) => accepted === mediaType)) {
    throw invalid(param, 'must be a PNG, JPEG, GIF or WebP picture');
  }
  return { kind: 'base64', mediaType, data: base64 };
}

/** `{type:"file", file:{file_data, filename}}`: a PDF, a text, or a picture. */
export function readFile(part: Fields, path: string): DocumentPart | ImagePart {
  const file = readRecord(part['file']) ?? part;
  const param = file === part ? path : `${path}.file`;
  if (readText(file['file_id']) !== undefined) {
    throw unsupported(
      `${param}.file_id`,
      'is not available for this model; send the file itself as file_data',
    );
  }
  const text = readText(file['file_data']);
  if (text === undefined) throw invalid(`${param}.file_data`, 'must be a base64 data: URL');
  const title = readText(file['filename']);
  const data = readDataUrl(text) ?? { mediaType: '', base64: text.replace(/\s/g, '') };
  return fileOf(data, title, `${param}.file_data`);
}

function fileOf(
  { mediaType, base64 }: { mediaType: string; base64: string },
  title: string | undefined,
  param: string,
): DocumentPart | ImagePart {
  const begin = beginningOf(base64);
  if (mediaType === 'application/pdf' || pdfSign.test(begin)) {
    return {
      type: 'document',
      source: { kind: 'base64', mediaType: 'application/pdf', data: base64 },
      ...known({ title }),
    };
  }
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    return {
      type: 'document',
      source: { kind: 'text', text: Buffer.from(base64, 'base64').toString('utf8') },
      ...known({ title }),
    };
  }
  if (mediaType.startsWith('image/')) {
    return { type: 'image', source: imageBytes(mediaType, base64, param) };
  }
  throw unsupported(param, 'must be a PDF, a text or a picture');
}

/**
 * An `image` or `document` block of the messages dialect, as some clients send them to the chat
 * route.
 */
export function readSourceBlock(part: Fields, path: string): ImagePart | DocumentPart {
  const source = readRecord(part['source']) ?? {};
  const param = `${path}.source`;
  if (part['type'] === 'image') {
    return { type: 'image', source: sourceOf(source, param, imageBytes) };
  }
  const about = known({ title: readText(part['title']), context: readText(part['context']) });
  if (source['type'] === 'text') {
    return {
      type: 'document',
      source: { kind: 'text', text: readString(source['data']) ?? '' },
      ...about,
    };
  }
  return {
    type: 'document',
    source: sourceOf(source, param, (mediaType, data) => ({ kind: 'base64', mediaType, data })),
    ...about,
  };
}

type ReadBytes = (mediaType: string, base64: string, param: string) => MediaSource;

function sourceOf(source: Fields, param: string, readBytes: ReadBytes): MediaSource {
  const url = readText(source['url']);
  if (source['type'] === 'url' && url !== undefined) return { kind: 'url', url };
  const data = readText(source['data']);
  if (source['type'] !== 'base64' || data === undefined) {
    throw unsupported(`${param}.type`, 'must be base64 or url');
  }
  return readBytes((readText(source['media_type']) ?? '').toLowerCase(), data, `${param}.data`);
}

/** `data:<media type>[;parameters];base64,<data>`; without `base64` the data is percent-encoded. */
function readDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const comma = /^data:/i.test(url) ? url.indexOf(',') : -1;
  if (comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url
    .slice('data:'.length, comma)
    .toLowerCase()
    .split(';')
    .map((word) => word.trim());
  const data = url.slice(comma + 1);
  if (parameters.includes('base64')) {
    return { mediaType, base64: /\s/.test(data) ? data.replace(/\s/g, '') : data };
  }
  return {
    mediaType: mediaType === '' ? 'text/plain' : mediaType,
    base64: Buffer.from(percentDecoded(data)).toString('base64'),
  };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const beginningOf = (base64: string): string =>
  Buffer.from(base64.slice(0, signCharacters), 'base64').toString('latin1');
