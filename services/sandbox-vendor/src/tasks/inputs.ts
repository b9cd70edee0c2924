import { createHash } from 'node:crypto';

interface Locator {
  readonly url: string;
}

/** An image, a clip or a sound in the content of a creation. */
export type MediaItem =
  | {
      readonly type: 'image_url';
      readonly image_url: Locator;
      readonly role?: 'first_frame' | 'last_frame' | 'reference_image';
    }
  | { readonly type: 'video_url'; readonly video_url: Locator; readonly role?: 'reference_video' }
  | { readonly type: 'audio_url'; readonly audio_url: Locator; readonly role?: 'reference_audio' };

export const urlOf = (item: MediaItem): string =>
  item.type === 'image_url'
    ? item.image_url.url
    : item.type === 'video_url'
      ? item.video_url.url
      : item.audio_url.url;

/**
 * A reference of a task, and what was received of it: the proof that the vendor really had the
 * bytes.
 */
export interface Input {
  readonly type: 'image_url' | 'video_url' | 'audio_url';
  readonly role?: string;
  readonly via: 'data' | 'url';
  /** Where it is fetched from; addresses beyond this machine are not. */
  readonly url?: string;
  readonly contentType?: string;
  readonly sizeBytes?: number;
  readonly sha256?: string;
}

/** Largest file that is fetched, and the longest that it may take. */
const maxBytes = 210_000_000;
const timeoutMs = 20_000;

/**
 * The references of a creation. `data:` URLs are decoded here and not kept; throws what `refuse`
 * makes of a broken one.
 */
export function readInputs(
  items: readonly (MediaItem | { readonly type: 'text' } | { readonly type: 'draft_task' })[],
  refuse: (message: string, param: string) => Error,
): readonly Input[] {
  return items.flatMap((item, index): Input[] => {
    if (item.type === 'text' || item.type === 'draft_task') return [];
    const url = urlOf(item);
    const known = { type: item.type, ...(item.role !== undefined && { role: item.role }) };
    if (!url.startsWith('data:')) return [{ ...known, via: 'url', url }];
    const file = decode(url);
    const param = `content[${index}].${item.type}.url`;
    if (file === undefined) throw refuse(`\`${param}\` does not hold base64.`, param);
    return [{ ...known, via: 'data', ...file }];
  });
}

/** What a `data:` URL holds; undefined when that is nothing, or no base64. */
function decode(url: string): Pick<Input, 'contentType' | 'sizeBytes' | 'sha256'> | undefined {
  const comma = url.indexOf(',');
  const encoded = url.slice(comma + 1);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== encoded) return undefined;
  return {
    contentType: url.slice('data:'.length, comma).replace(/;base64$/, ''),
    ...factsOf(bytes),
  };
}

const factsOf = (bytes: Uint8Array): { sizeBytes: number; sha256: string } => ({
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** Loopback only: a sandbox reaches out to nobody else. */
const isHere = (url: string): boolean =>
  /^https?:\/\/(127(\.\d{1,3}){3}|\[::1\]|localhost)[:/]/i.test(url);

/**
 * The same inputs with what was fetched of them. Rejects when an address on this machine does not
 * give a file.
 */
export function fetchInputs(
  inputs: readonly Input[],
  signal: AbortSignal,
): Promise<readonly Input[]> {
  return Promise.all(
    inputs.map(async (input) => {
      if (input.url === undefined || input.sha256 !== undefined || !isHere(input.url)) return input;
      const response = await fetch(input.url, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        redirect: 'error',
      });
      if (!response.ok || response.body === null) {
        throw new Error(`an input returned ${response.status}`);
      }
      const hash = createHash('sha256');
      let sizeBytes = 0;
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw new Error('an input is too large');
        hash.update(chunk);
      }
      return {
        ...input,
        contentType: response.headers.get('content-type') ?? 'unknown',
        sizeBytes,
        sha256: hash.digest('hex'),
      };
    }),
  );
}

/** For the control endpoint: without queries, which carry tokens. */
export const showInput = ({
  type,
  role,
  via,
  url,
  contentType,
  sizeBytes,
  sha256,
}: Input): object => ({
  type,
  role,
  via,
  url: url?.replace(/\?.*$/, ''),
  content_type: contentType,
  size_bytes: sizeBytes,
  sha256,
});
