import { describe, expect, it } from '@jest/globals';
import { parseDataUrl } from '@gateway/media';
import { hashBody } from '../../../../services/api/src/bodies/body-hash.ts';
import { createHeldData } from '../../../../services/api/src/bodies/held-data.ts';
import { readVideoBody } from '../../../../services/api/src/bodies/video-body.ts';

const png = (sizeBytes: number): Buffer =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(sizeBytes, 3)]);
const dataUrl = (sizeBytes: number, type = 'image/png'): string =>
  `data:${type};base64,${png(sizeBytes).toString('base64')}`;
const long = dataUrl(60_000);
const rule = { allowedTypes: ['image/png'], maxBytes: 100_000 };

const read = (text: string) => readVideoBody(Buffer.from(text), { kind: 'video', wantsHash: true });

const urlIn = (value: unknown): string =>
  (value as { references: { url: string }[] }).references[0]?.url ?? '';

const bodyWith = (url: string, more: object = {}) => ({
  prompt: 'a cat',
  references: [{ type: 'image', url }],
  model: 'm',
  ...more,
});

describe('the body of a video request', () => {
  it('is read as it is when nothing in it is long', () => {
    const body = bodyWith(dataUrl(100));
    expect(read(JSON.stringify(body))).toEqual({ value: body, hash: hashBody(body), held: [] });
  });

  it.each([
    ['references', bodyWith(long), ['references', 0, 'url']],
    [
      'content',
      { content: [{ type: 'text' }, { type: 'image_url', image_url: { url: long } }] },
      ['content', 1, 'image_url', 'url'],
    ],
  ])('names a long data URL in %s by what nobody can guess', (_where, body, path) => {
    const { value, held } = read(JSON.stringify(body));
    const [only] = held;
    const name = path.reduce<unknown>(
      (part, key) => (part as Record<string | number, unknown>)[key],
      value,
    );
    expect(held).toHaveLength(1);
    expect(name).toBe(only?.name);
    expect(name).toMatch(/^data:held;[\da-f-]{36};0$/);
    expect(only?.bytes).toEqual(png(60_000));
  });

  it.each([
    ['as it is written', JSON.stringify],
    ['with its slashes escaped', (body: object) => JSON.stringify(body).replaceAll('/', '\\/')],
    ['with white space', (body: object) => JSON.stringify(body, null, 2)],
    [
      'with characters beyond ASCII',
      (body: object) => JSON.stringify({ ...body, prompt: 'é\u2028👾'.repeat(20_000) }),
    ],
  ])('has the hash that its whole value has, %s', (_how, write) => {
    const text = write(bodyWith(long, { seed: 1, content: [long, long] }));
    expect(read(text).hash).toEqual(hashBody(JSON.parse(text)));
  });

  it('keeps a long text that is no reference, up to a million characters', () => {
    const body = bodyWith('https://example.com/x', { prompt: long });
    expect(read(JSON.stringify(body)).value).toEqual(body);
    expect(() => read(JSON.stringify({ prompt: 'é'.repeat(1_000_001) }))).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param: 'prompt' }),
    );
  });

  it.each([
    ['a good one', long],
    ['one of another type', dataUrl(60_000, 'image/webp')],
    ['one that is too large', dataUrl(120_000)],
    ['one of a type that is not allowed', dataUrl(60_000, 'video/mp4')],
    ['one that is no base64', `${long}=*`],
    ['one without a comma', `data:${'x'.repeat(70_000)}`],
    ['one in capitals', long.replace('data:image', 'DATA:IMAGE')],
  ])('is judged like a data URL that is not held: %s', (_what, url) => {
    const data = createHeldData();
    const { value, held } = read(JSON.stringify(bodyWith(url)));
    data.hold(held);
    expect(held).toHaveLength(1);
    expect(data.judge(urlIn(value), rule)).toEqual(parseDataUrl(url, rule));
    data.free(held);
    expect(data.judge(urlIn(value), rule)).toMatchObject({ ok: false, reason: 'malformed' });
    expect(held[0]?.bytes?.length ?? 0).toBe(0);
  });

  it('that is no JSON is refused although its long strings are', () => {
    expect(() => read(`{"references":[{"url":"${long}"},]}`)).toThrow(
      expect.objectContaining({ code: 'invalid_json' }),
    );
    expect(() => read(`{"prompt":"${'x'.repeat(70_000)}\u0007"}`)).toThrow(
      expect.objectContaining({ code: 'invalid_json' }),
    );
  });
});
