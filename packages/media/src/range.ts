import { parseHttpDate } from './http-date.ts';

export interface RangeRequest {
  readonly method: string;
  readonly headers: {
    readonly range?: string | undefined;
    readonly ifRange?: string | undefined;
    readonly ifMatch?: string | undefined;
    readonly ifNoneMatch?: string | undefined;
    readonly ifModifiedSince?: string | undefined;
    readonly ifUnmodifiedSince?: string | undefined;
  };
  readonly sizeBytes: number;
  /** Strong and quoted, for instance `"<sha256>"`. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** With 206: the first and the last byte, both included. */
export type BodyDecision =
  { readonly status: 200 } | { readonly status: 206; readonly start: number; readonly end: number };
export type RangeDecision =
  BodyDecision | { readonly status: 304 } | { readonly status: 412 } | { readonly status: 416 };

/** More specs than this are a mistake or an attack: the header is ignored. */
const maxSpecs = 16;

/**
 * What to respond to a GET or HEAD of an unchanging object, by RFC 9110 sections 13.2.2 and 14.2.
 */
export function decideRange(request: RangeRequest): RangeDecision {
  if (!isPreconditionMet(request)) return { status: 412 };
  if (isUnchanged(request)) return { status: 304 };
  const { range, ifRange } = request.headers;
  if (request.method !== 'GET' || range === undefined) return { status: 200 };
  if (ifRange !== undefined && !isSameObject(ifRange, request)) return { status: 200 };
  return applyRange(range, request.sizeBytes);
}

function isPreconditionMet({
  headers: { ifMatch, ifUnmodifiedSince },
  etag,
  lastModified,
}: RangeRequest): boolean {
  // a weak tag never equals a strong one
  if (ifMatch !== undefined) return ifMatch.trim() === '*' || entityTagsIn(ifMatch).includes(etag);
  const since = parseHttpDate(ifUnmodifiedSince ?? '');
  return since === undefined || secondsOf(lastModified) <= since;
}

function isUnchanged({
  headers: { ifNoneMatch, ifModifiedSince },
  etag,
  lastModified,
}: RangeRequest): boolean {
  if (ifNoneMatch !== undefined) {
    return (
      ifNoneMatch.trim() === '*' ||
      entityTagsIn(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
    );
  }
  const since = parseHttpDate(ifModifiedSince ?? '');
  return since !== undefined && secondsOf(lastModified) <= since;
}

/**
 * If-Range: the strong tag or the exact date that we sent; anything else asks for the whole object.
 */
function isSameObject(ifRange: string, { etag, lastModified }: RangeRequest): boolean {
  return ifRange === etag || ifRange === lastModified.toUTCString();
}

const entityTagsIn = (list: string): readonly string[] =>
  list.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

interface Span {
  readonly start: number;
  readonly end: number;
}

function applyRange(range: string, sizeBytes: number): RangeDecision {
  const specs = specsOf(range);
  const isUsable =
    specs !== undefined && specs.length > 0 && specs.length <= maxSpecs && sizeBytes > 0;
  if (!isUsable || !specs.every((spec) => specPattern.test(spec))) return { status: 200 };
  const spans = coalesce(specs.flatMap((spec) => spanOf(spec, sizeBytes)));
  const [only] = spans;
  if (only === undefined) return { status: 416 };
  // several parts would need multipart, which we do not speak
  return spans.length === 1 ? { status: 206, ...only } : { status: 200 };
}

/**
 * The specs of `bytes=…`; undefined for another unit, which is ignored. Empty list elements are
 * allowed and mean nothing.
 */
function specsOf(range: string): readonly string[] | undefined {
  const set = /^bytes=(.*)$/i.exec(range.trim())?.[1];
  return set
    ?.split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '');
}

const specPattern = /^(?:\d+-\d*|-\d+)$/;

/**
 * The bytes that a spec names inside the object; none when it lies outside, is backwards or is an
 * empty suffix.
 */
function spanOf(spec: string, sizeBytes: number): readonly Span[] {
  const [first = '', last = ''] = spec.split('-');
  if (first === '') {
    return Number(last) === 0
      ? []
      : [{ start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes - 1 }];
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return start <= end ? [{ start, end }] : [];
}

/** Joins spans that overlap or touch. */
function coalesce(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const before = joined.at(-1);
    if (before === undefined || span.start > before.end + 1) joined.push(span);
    else joined[joined.length - 1] = { start: before.start, end: Math.max(before.end, span.end) };
  }
  return joined;
}
