import { describe, expect, it } from '@jest/globals';
import { idPrefixes, isId, type IdKind } from '@gateway/domain';

const suffix = '01h455vb4pex5vsknk084sn02q';

describe('an id', () => {
  it.each<[IdKind, string]>([
    ['task', `video_${suffix}`],
    ['account', `acct_${suffix}`],
    ['key', `key_${suffix}`],
    ['attempt', `attempt_${suffix}`],
    ['asset', `asset_${suffix}`],
    ['usage', `usage_${suffix}`],
    ['usageBatch', `batch_${suffix}`],
  ])('of kind %s looks like %s, and like no other kind', (kind, id) => {
    const kinds = Object.keys(idPrefixes) as IdKind[];

    expect(kinds.filter((one) => isId(one, id))).toEqual([kind]);
  });

  it.each([
    ['the smallest', `video_${'0'.repeat(26)}`],
    ['the largest', `video_7${'z'.repeat(25)}`],
  ])('may be %s', (_case, id) => {
    expect(isId('task', id)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'video_'],
    ['the suffix alone', suffix],
    ['too short', `video_${suffix.slice(1)}`],
    ['too long', `video_${suffix}0`],
    ['in capitals', `video_${suffix.toUpperCase()}`],
    ['beyond 128 bits', `video_8${suffix.slice(1)}`],
    ['with a letter that base 32 leaves out (i)', `video_${suffix.slice(0, -1)}i`],
    ['with a letter that base 32 leaves out (l)', `video_${suffix.slice(0, -1)}l`],
    ['with a letter that base 32 leaves out (o)', `video_${suffix.slice(0, -1)}o`],
    ['with a letter that base 32 leaves out (u)', `video_${suffix.slice(0, -1)}u`],
    ['with a line end', `video_${suffix}\n`],
    ['with something before it', `xvideo_${suffix}`],
    ['with a path', `../video_${suffix}`],
    ['with another separator', `video-${suffix}`],
  ])('is not %s', (_case, text) => {
    expect(isId('task', text)).toBe(false);
  });
});

/** Compiled, never run. */
export const promises = (): unknown[] => [
  // @ts-expect-error the kind is "task"; "video" is its prefix
  isId('video', suffix),
];
