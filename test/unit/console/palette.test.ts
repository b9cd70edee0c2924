import { describe, expect, it } from '@jest/globals';
import type { Video } from '@gateway/client';
import { optionsFor, searchFor } from '../../../services/console/src/parts/palette-options.ts';

const id = `video_${'0'.repeat(26)}`;
const video = { id, model: 'one', status: 'queued', request: { prompt: 'a boat' } } as Video;
const pathsOf = (words: string, videos: readonly Video[] = []): string[] =>
  optionsFor(words, videos).map(({ path }) => path);

describe('the palette', () => {
  it.each<[string, object | undefined]>([
    ['', undefined],
    ['  bo ', undefined],
    [' boat ', { q: 'boat' }],
    ['video_0', { id_prefix: 'video_0' }],
  ])('asks for %p: %p', (words, filter) => {
    expect(searchFor(words)).toEqual(filter);
  });

  it.each<[string, readonly Video[], string[]]>([
    ['BILL', [], ['/billing']],
    ['boat', [video], [`/videos/${id}`]],
    [id, [], [`/videos/${id}`]],
    [id, [video], [`/videos/${id}`]],
    ['video_0', [], []],
  ])('leads from %p, with %p found, to %p', (words, videos, paths) => {
    expect(pathsOf(words, videos)).toEqual(paths);
  });

  it('lists all pages before anything is typed', () => {
    expect(pathsOf('')).toContain('/playground');
    expect(pathsOf('').length).toBeGreaterThan(5);
  });
});
