import { beforeAll, describe, expect, it } from '@jest/globals';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { c2paContent } from './c2pa-sample.ts';
import { anMp4, box, boxesOf } from './mp4-files.ts';

const credentialsOf = async (bytes: Buffer): Promise<unknown> =>
  (await probeMp4(sourceFromBytes(bytes))).contentCredentials;

let file: Buffer;
beforeAll(async () => {
  file = await anMp4(10);
});

/** A file with these private boxes behind its brand. */
function withPrivate(...contents: readonly Buffer[]): Buffer {
  const parts = boxesOf(file);
  const of = (type: string): Buffer => parts.get(type) ?? Buffer.alloc(0);
  const boxes = contents.map((content) => box('uuid', content));
  return Buffer.concat([of('ftyp'), ...boxes, of('moov'), of('free'), of('mdat')]);
}

describe('what a file says about its origin', () => {
  it('is the program and the signer of its newest C2PA manifest', async () => {
    expect(await credentialsOf(withPrivate(Buffer.alloc(40, 1), c2paContent()))).toEqual({
      generator: 'c2pa-ts',
      signer: 'Example Studio',
    });
  });

  it('is nothing where there is no manifest', async () => {
    expect(await credentialsOf(withPrivate(Buffer.alloc(40, 1)))).toBeUndefined();
    expect(await credentialsOf(file)).toBeUndefined();
  });

  it('is only that there is one, where it is broken or huge; the video is good all the same', async () => {
    const content = c2paContent();
    const huge = Buffer.concat([content.subarray(0, 16), Buffer.alloc(5_000_000)]);

    for (const broken of [content.subarray(0, 16), content.subarray(0, 200), huge]) {
      expect(await credentialsOf(withPrivate(broken))).toEqual({});
    }
  });

  it('is read however a byte of the manifest was changed', async () => {
    const content = c2paContent();
    for (let at = 0; at < 3_000; at += 97) {
      const changed = Buffer.from(content);
      changed[at]! ^= 0x5a;
      const probe = await probeMp4(sourceFromBytes(withPrivate(changed)));
      expect(probe.seconds).toBe(1);
    }
  });
});
