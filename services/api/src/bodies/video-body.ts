import { createHash, randomUUID } from 'node:crypto';
import { isAscii } from 'node:buffer';
import { GatewayError } from '@gateway/domain';
import { readDataUrl, type ReadDataUrl } from '@gateway/media';
import { hashBody, sortedText } from './body-hash.ts';
import { judgeJson, parseJson, type JsonBounds, type LongText } from './judge.ts';
import { openLargeMemory } from './memory.ts';

export interface VideoCommand {
  readonly kind: 'video';
  /** Whether its hash will be asked for. */
  readonly wantsHash: boolean;
}

/** A body whose long data URLs were read on the way, and stand in it by names of their own. */
export interface VideoBody {
  readonly value: unknown;
  readonly hash: Uint8Array | undefined;
  readonly held: readonly HeldDataUrl[];
}

export interface HeldDataUrl extends ReadDataUrl {
  readonly name: string;
}

/** As the contract has them, which says it field by field. */
export const videoBounds: JsonBounds = { maxDepth: 32, maxValues: 5_000 };
/** Nothing but a data URL is as long in a request that could be right. */
const longestText = 1_000_000;

/**
 * Reads the body of a video request. Its long strings are cut out before it is parsed, so that
 * nothing of their length is parsed, checked or sent from one thread to another; what they hold is
 * decoded here.
 */
export function readVideoBody(bytes: Buffer, { wantsHash }: VideoCommand): VideoBody {
  const { longTexts } = judgeJson(bytes, videoBounds);
  if (longTexts.length === 0) {
    const value = parseJson(bytes);
    return { value, hash: wantsHash ? hashBody(value) : undefined, held: [] };
  }
  const id = randomUUID();
  const cut = longTexts.map((span, index) => ({ ...span, name: `data:held;${id};${index}` }));
  const value = parseWithout(bytes, cut);
  const hash = wantsHash ? hashWith(bytes, { value, cut }) : undefined;
  const spans = new Map(cut.map((each) => [each.name, each]));
  const held: HeldDataUrl[] = [];
  const restored = restore(value, [], (name, path) => {
    const span = spans.get(name);
    if (span === undefined) return name;
    if (isLocator(path) && isDataUrl(bytes, span)) {
      held.push({ name, ...readDataUrl(textOf(bytes, span), openLargeMemory) });
      return name;
    }
    const text = parseJson(bytes.subarray(span.start, span.end)) as string;
    if (text.length > longestText) throw tooLong(path, text.length);
    return text;
  });
  return { value: restored, hash, held };
}

interface Cut extends LongText {
  readonly name: string;
}

function parseWithout(bytes: Buffer, cut: readonly Cut[]): unknown {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, name } of cut) {
    pieces.push(bytes.subarray(from, start), Buffer.from(JSON.stringify(name)));
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return parseJson(Buffer.concat(pieces));
}

const hasEscapes = (bytes: Buffer, { start, end }: LongText): boolean =>
  bytes.subarray(start, end).includes(0x5c);

/** Its first letters may be written with escapes. */
function isDataUrl(bytes: Buffer, span: LongText): boolean {
  const { start } = span;
  const isPlain = /^"data:/i.test(bytes.toString('latin1', start, start + 6));
  return isPlain || (hasEscapes(bytes, span) && /^data:/i.test(textOf(bytes, span)));
}

/** Without escapes as it is written: whatever is no base64 is refused with it. */
function textOf(bytes: Buffer, span: LongText): string {
  const { start, end } = span;
  const literal = bytes.subarray(start, end);
  return !hasEscapes(bytes, span) && isAscii(literal)
    ? bytes.toString('latin1', start + 1, end - 1)
    : (parseJson(literal) as string);
}

/** The hash that the whole value would have, without a text of its length. */
function hashWith(
  bytes: Buffer,
  { value, cut }: { value: unknown; cut: readonly Cut[] },
): Uint8Array {
  const hash = createHash('sha256');
  let rest = sortedText(value);
  const byPlace = cut
    .map((each) => ({ ...each, at: rest.indexOf(JSON.stringify(each.name)) }))
    .toSorted((one, other) => one.at - other.at);
  let from = 0;
  for (const { at, name, ...span } of byPlace) {
    hash.update(rest.slice(from, at));
    // without escapes a text is written as it was read
    if (hasEscapes(bytes, span)) hash.update(JSON.stringify(textOf(bytes, span)));
    else hash.update(bytes.subarray(span.start, span.end));
    from = at + JSON.stringify(name).length;
  }
  rest = rest.slice(from);
  return hash.update(rest).digest();
}

type Path = readonly (string | number)[];

/** `references[0].url`, `content[1].image_url.url`: where a request may name media. */
const isLocator = (path: Path): boolean =>
  /^(?:references\.\d+\.url|content\.\d+\.(?:image|video|audio)_url\.url)$/.test(path.join('.'));

function restore(
  value: unknown,
  path: Path,
  replace: (text: string, path: Path) => string,
): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((each: unknown, index) => restore(each, [...path, index], replace));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, restore(each, [...path, name], replace)]),
  );
}

function tooLong(path: Path, length: number): GatewayError {
  const param = path.join('.').slice(0, 100);
  return new GatewayError(
    'invalid_parameter',
    `${param} is a text of ${length} characters; a text that is no data: URL of a reference may have ${longestText} at most`,
    { param },
  );
}
