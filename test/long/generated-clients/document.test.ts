/** @workers 3: it promises no times. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildDocument, type OpenApiDocument } from '@gateway/api';
import { breakingChanges } from '../../contracts/breaking-changes.ts';

const about = { baseUrl: 'http://localhost:3000', version: '0' };
const document = buildDocument(about);
const parts = {
  video: buildDocument({ ...about, part: 'video' }),
  text: buildDocument({ ...about, part: 'text' }),
};

/** Every object in it. */
function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

const refsIn = (value: unknown): string[] =>
  [...objectsIn(value)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));

describe('what generators make clients from', () => {
  it('gives each enum and constant a type', () => {
    const untyped = [...objectsIn([document.paths, document.components])].filter(
      (each) =>
        (Array.isArray(each['enum']) || each['const'] !== undefined) && each['type'] === undefined,
    );

    expect(untyped).toEqual([]);
  });

  it('has each list of words and each object once, as a component where several have it', () => {
    const places = new Map<string, number>();
    for (const each of objectsIn([document.paths, document.components, document.webhooks])) {
      const { enum: words, type, properties } = each;
      const counts =
        (Array.isArray(words) && words.length > 2) ||
        (type === 'object' && Object.keys(properties ?? {}).length > 2);
      const shape = JSON.stringify(each, (name, part: unknown) =>
        ['description', 'examples', 'default'].includes(name) ? undefined : part,
      );
      if (counts) places.set(shape, (places.get(shape) ?? 0) + 1);
    }

    expect([...places].filter(([, count]) => count > 1)).toEqual([]);
  });

  it('tells tasks apart by status and models by kind', () => {
    const { Video, Model, SucceededVideo, QueuedVideo } = document.components.schemas;

    expect(Video).toMatchObject({
      discriminator: {
        propertyName: 'status',
        mapping: {
          queued: '#/components/schemas/QueuedVideo',
          succeeded: '#/components/schemas/SucceededVideo',
        },
      },
    });
    expect(Model).toMatchObject({ discriminator: { propertyName: 'kind' } });
    expect(SucceededVideo).toMatchObject({
      required: expect.arrayContaining(['usage', 'completed_at', 'portal_billing']),
    });
    expect(QueuedVideo).not.toMatchObject({ properties: { content: expect.anything() } });
  });

  it('describes what is sent to callback addresses, in the part for video alone', () => {
    expect(Object.keys(document.webhooks ?? {})).toEqual([
      'callbackChallenge',
      'callbackTest',
      'videoStatusChanged',
    ]);
    expect(parts.video.webhooks).toEqual(document.webhooks);
    expect(parts.text.webhooks).toBeUndefined();
  });

  it.each(Object.entries(parts))('has a part for %s that is whole by itself', (_name, part) => {
    const known = new Set(
      ['schemas', 'responses', 'headers'].flatMap((kind) =>
        Object.keys(part.components[kind as 'schemas']).map(
          (name) => `#/components/${kind}/${name}`,
        ),
      ),
    );

    expect(refsIn(part).filter((target) => !known.has(target))).toEqual([]);
    expect(Object.keys(part.paths).every((each) => each in document.paths)).toBe(true);
  });

  it('needs less than 200 kB for video and the account', () => {
    expect(Buffer.byteLength(JSON.stringify(parts.video))).toBeLessThan(200_000);
    expect(
      Object.keys(parts.video.paths).filter((each) => /messages|chat|admin/.test(each)),
    ).toEqual([]);
  });
});

const released = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../openapi/released.json'), 'utf8'),
) as OpenApiDocument;

describe('the document beside the released one', () => {
  it('breaks no client; "npm run accept:openapi" accepts a change that is meant to', () => {
    expect(breakingChanges(released, document)).toEqual([]);
  });

  it.each<[string, readonly string[], (was: readonly string[]) => unknown, string]>([
    [
      'a route that is gone',
      ['paths', '/v1/videos', 'get'],
      () => undefined,
      'GET /v1/videos: is gone',
    ],
    [
      'a field that a response had',
      ['components', 'schemas', 'SucceededVideo', 'properties', 'usage'],
      () => undefined,
      'GET /v1/videos/{id}: 200: application/json.usage is gone',
    ],
    [
      'a field that a response may be without',
      ['components', 'schemas', 'Asset', 'required'],
      (names) => names.slice(1),
      'POST /v1/assets: 200: application/json.id may be missing now',
    ],
    [
      'a field that a request must have',
      ['components', 'schemas', 'VideoRequest', 'required'],
      (names) => [...names, 'duration'],
      'POST /v1/videos: application/json.duration is required now',
    ],
    [
      'a value that a request may not have',
      ['components', 'schemas', 'ServiceTier', 'enum'],
      (values) => values.slice(0, -1),
      'POST /v1/videos: application/json.service_tier may not be "flex" any more',
    ],
    [
      'a value that a response had not',
      ['components', 'schemas', 'VideoStatus', 'enum'],
      (values) => [...values, 'paused'],
      'GET /v1/videos/{id}/events: 200: application/json.data[].status may be "paused" now',
    ],
    [
      'a narrower bound',
      ['components', 'schemas', 'VideoRequest', 'properties', 'references', 'maxItems'],
      () => 8,
      'POST /v1/videos: application/json.references has a narrower maxItems',
    ],
    [
      'a parameter that must be given',
      ['paths', '/v1/videos', 'get', 'parameters', '0', 'required'],
      () => true,
      'GET /v1/videos: query limit is required now',
    ],
  ])('finds %s', (_name, where, alter, said) => {
    expect(breakingChanges(document, altered(where, alter))).toContain(said);
  });

  it.each<[string, readonly string[]]>([
    ['a field of a response', ['components', 'schemas', 'Asset', 'properties', 'colour']],
    ['a field of a request', ['components', 'schemas', 'VideoRequest', 'properties', 'mood']],
  ])('lets it grow by %s', (_name, where) => {
    expect(
      breakingChanges(
        document,
        altered(where, () => ({ type: 'string' })),
      ),
    ).toEqual([]);
  });

  it('takes words with a name for the same words without one', () => {
    const words = document.components.schemas['CallbackStopReason']!['enum'] as string[];
    const unnamed = altered(['components', 'schemas', 'Callback', 'properties', 'reason'], () => ({
      type: ['string', 'null'],
      enum: [...words, null],
    }));

    expect(breakingChanges(document, unnamed)).toEqual([]);
    expect(breakingChanges(unnamed, document)).toEqual([]);
  });
});

/** A copy of the document with another value in one place of it, or with none. */
function altered(
  where: readonly string[],
  alter: (was: readonly string[]) => unknown,
): OpenApiDocument {
  const copy = structuredClone(document);
  const part = where
    .slice(0, -1)
    .reduce<object>((whole, name) => whole[name as keyof object], copy) as Record<string, unknown>;
  const name = where.at(-1)!;
  part[name] = alter(part[name] as readonly string[]);
  if (part[name] === undefined) Reflect.deleteProperty(part, name);
  return copy;
}
