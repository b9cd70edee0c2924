import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { decideRange, type RangeDecision, type RangeRequest } from '@gateway/media';

const etag = '"9f86d081884c7d65"';
const lastModified = new Date('2026-01-02T03:04:05.678Z');
const date = lastModified.toUTCString();
const earlier = 'Fri, 02 Jan 2026 03:04:04 GMT';
const later = 'Fri, 02 Jan 2026 03:04:06 GMT';

const decide = (
  headers: RangeRequest['headers'],
  change: Partial<RangeRequest> = {},
): RangeDecision =>
  decideRange({ method: 'GET', headers, sizeBytes: 1000, etag, lastModified, ...change });
const part = (start: number, end: number): RangeDecision => ({ status: 206, start, end });
const whole: RangeDecision = { status: 200 };

describe('T-RNG a Range header on a file of 1000 bytes', () => {
  it.each<[string, RangeDecision]>([
    ['bytes=0-0', part(0, 0)],
    ['bytes=0-9', part(0, 9)],
    ['bytes=0-999', part(0, 999)],
    ['bytes=0-1000', part(0, 999)],
    ['bytes=0-99999999999999999999', part(0, 999)],
    ['bytes=0-', part(0, 999)],
    ['bytes=999-', part(999, 999)],
    ['bytes=-1', part(999, 999)],
    ['bytes=-1000', part(0, 999)],
    ['bytes=-5000', part(0, 999)],
    ['BYTES=0-1', part(0, 1)],
    [' bytes= 0-1 , ', part(0, 1)],
    ['bytes=00-01', part(0, 1)],
    // nothing inside the file
    ['bytes=1000-', { status: 416 }],
    ['bytes=1000-2000', { status: 416 }],
    ['bytes=99999999999999999999-', { status: 416 }],
    ['bytes=-0', { status: 416 }],
    ['bytes=5-2', { status: 416 }],
    ['bytes=1000-,2000-', { status: 416 }],
    // not understood: ignored
    ['items=0-1', whole],
    ['bytes=abc', whole],
    ['bytes=', whole],
    ['bytes=,', whole],
    ['bytes=-', whole],
    ['bytes=--1', whole],
    ['bytes=1-2-3', whole],
    ['bytes=0x0-0x1', whole],
    ['bytes=0-1,abc', whole],
    ['bytes 0-1', whole],
    ['bytes = 0-1', whole],
    ['', whole],
    // several
    ['bytes=0-1,500-501', whole],
    ['bytes=0-1,2-3', part(0, 3)],
    ['bytes=2-3,0-1', part(0, 3)],
    ['bytes=0-9,5-20,-980', part(0, 999)],
    ['bytes=100-200,0-500,150-160', part(0, 500)],
    ['bytes=0-1,2000-', part(0, 1)],
    [`bytes=${Array(16).fill('0-').join()}`, part(0, 999)],
    [`bytes=${Array(17).fill('0-').join()}`, whole],
    [`bytes=${Array(200).fill('0-').join()}`, whole],
  ])('%s', (range, expected) => {
    expect(decide({ range })).toEqual(expected);
  });

  it.each(['bytes=0-', 'bytes=-5', 'bytes=5-'])('%s is ignored when the file is empty', (range) => {
    expect(decide({ range }, { sizeBytes: 0 })).toEqual(whole);
  });

  it('is ignored by HEAD', () => {
    expect(decide({ range: 'bytes=0-9' }, { method: 'HEAD' })).toEqual(whole);
    expect(decide({ range: 'bytes=5000-' }, { method: 'HEAD' })).toEqual(whole);
  });

  it('never leads outside the file, whatever it says', () => {
    const spec = fc.oneof(
      fc.tuple(fc.nat(1_200), fc.nat(1_200)).map(([a, b]) => `${a}-${b}`),
      fc.nat(1_200).map((a) => `-${a}`),
      fc.nat(1_200).map((a) => `${a}-`),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 20 }), fc.nat(1_100), (specs, sizeBytes) => {
        const decision = decide({ range: `bytes=${specs.join()}` }, { sizeBytes });
        return (
          decision.status !== 206 ||
          (decision.start >= 0 && decision.start <= decision.end && decision.end < sizeBytes)
        );
      }),
    );
  });
});

describe('T-RNG If-Range', () => {
  it.each<[string, RangeDecision]>([
    [etag, part(0, 9)],
    [date, part(0, 9)],
    [`W/${etag}`, whole],
    ['"another"', whole],
    [etag.slice(1, -1), whole],
    [earlier, whole],
    [later, whole],
    [lastModified.toISOString(), whole],
    ['*', whole],
    ['', whole],
  ])('%s', (ifRange, expected) => {
    expect(decide({ range: 'bytes=0-9', ifRange })).toEqual(expected);
  });

  it('turns an unsatisfiable range of an older file into the whole new one', () => {
    expect(decide({ range: 'bytes=5000-', ifRange: '"another"' })).toEqual(whole);
    expect(decide({ range: 'bytes=5000-', ifRange: etag })).toEqual({ status: 416 });
  });

  it('means nothing without Range', () => {
    expect(decide({ ifRange: '"another"' })).toEqual(whole);
  });
});

describe('T-RNG preconditions', () => {
  const met = whole;
  const failed: RangeDecision = { status: 412 };
  const unchanged: RangeDecision = { status: 304 };

  it.each<[string, RangeRequest['headers'], RangeDecision]>([
    ['If-Match with our tag', { ifMatch: etag }, met],
    ['If-Match with our tag in a list', { ifMatch: `"a,b", ${etag}` }, met],
    ['If-Match: *', { ifMatch: '*' }, met],
    ['If-Match with our tag made weak', { ifMatch: `W/${etag}` }, failed],
    ['If-Match with another tag', { ifMatch: '"another"' }, failed],
    ['If-Match with our tag inside another', { ifMatch: '"x9f86d081884c7d65"' }, failed],
    ['If-Match with nothing', { ifMatch: '' }, failed],
    ['If-Unmodified-Since our date', { ifUnmodifiedSince: date }, met],
    ['If-Unmodified-Since later', { ifUnmodifiedSince: later }, met],
    ['If-Unmodified-Since earlier', { ifUnmodifiedSince: earlier }, failed],
    ['If-Unmodified-Since no date', { ifUnmodifiedSince: '2020-01-01' }, met],
    ['If-Match before If-Unmodified-Since', { ifMatch: etag, ifUnmodifiedSince: earlier }, met],
    ['If-None-Match with our tag', { ifNoneMatch: etag }, unchanged],
    ['If-None-Match with our tag made weak', { ifNoneMatch: `W/${etag}` }, unchanged],
    ['If-None-Match with our tag in a list', { ifNoneMatch: `"a", W/"b",${etag}` }, unchanged],
    ['If-None-Match: *', { ifNoneMatch: '*' }, unchanged],
    ['If-None-Match with another tag', { ifNoneMatch: '"another"' }, met],
    ['If-Modified-Since our date', { ifModifiedSince: date }, unchanged],
    ['If-Modified-Since later', { ifModifiedSince: later }, unchanged],
    ['If-Modified-Since earlier', { ifModifiedSince: earlier }, met],
    ['If-Modified-Since no date', { ifModifiedSince: 'yesterday' }, met],
    [
      'If-None-Match before If-Modified-Since',
      { ifNoneMatch: '"another"', ifModifiedSince: later },
      met,
    ],
    ['a failed If-Match before If-None-Match', { ifMatch: '"another"', ifNoneMatch: etag }, failed],
    ['If-None-Match after a met If-Match', { ifMatch: etag, ifNoneMatch: etag }, unchanged],
    ['304 before Range', { ifNoneMatch: etag, range: 'bytes=0-9' }, unchanged],
    ['412 before Range', { ifMatch: '"another"', range: 'bytes=5000-' }, failed],
    ['a met If-Match with Range', { ifMatch: etag, range: 'bytes=0-9' }, part(0, 9)],
  ])('%s', (_case, headers, expected) => {
    expect(decide(headers)).toEqual(expected);
  });

  it.each([
    ['412', { ifMatch: '"another"' }, failed],
    ['304', { ifNoneMatch: etag }, unchanged],
  ] as const)('responds %s to HEAD too', (_status, headers, expected) => {
    expect(decide(headers, { method: 'HEAD' })).toEqual(expected);
  });

  it.each([
    ['the preferred form', 'Fri, 02 Jan 2026 03:04:05 GMT', unchanged],
    ['RFC 850', 'Friday, 02-Jan-26 03:04:05 GMT', unchanged],
    ['asctime', 'Fri Jan  2 03:04:05 2026', unchanged],
    ['asctime, a second early', 'Fri Jan  2 03:04:04 2026', met],
    ['another zone', 'Fri, 02 Jan 2026 03:04:05 PST', met],
    ['a day that is not there', 'Fri, 42 Jan 2026 03:04:05 GMT', met],
  ])('read dates in %s', (_form, ifModifiedSince, expected) => {
    expect(decide({ ifModifiedSince })).toEqual(expected);
  });
});
