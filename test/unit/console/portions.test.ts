import { describe, expect, it } from '@jest/globals';
import { groupsOf, portionsOf } from '../../../services/console/src/pages/videos/portions.ts';

const rows = (...ids: readonly string[]) => ids.map((id) => ({ id }));
const shown = (...ids: readonly string[]) =>
  portionsOf(rows(...ids)).map(({ key, items }) => [key, ...items.map(({ id }) => id)].join(' '));

describe('a long list', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['nothing', [], []],
    ['what has no end', ['a', 'b'], ['first a b']],
    ['what ends with its last row', ['a', 'b0'], ['first a b0']],
    ['what goes on', ['a', 'b0', 'c', 'd0', 'e'], ['first a b0', 'b0 c d0', 'd0 e']],
  ])('of %s is shown in portions', (_what, ids, portions) => {
    expect(shown(...ids)).toEqual(portions);
  });

  it('is shown in groups that end where a portion does', () => {
    const items = rows('a', 'b0', 'c00', 'd0', 'e08', 'f8', 'g');

    expect(groupsOf(items).map(({ key }) => key)).toEqual(['first', 'c00', 'e08']);
    expect(groupsOf(items).flatMap((group) => portionsOf(group.items))).toHaveLength(
      portionsOf(items).length,
    );
  });

  it('keeps its portions when rows come before or behind', () => {
    const before = shown('a', 'b0', 'c', 'd0', 'e');

    expect(shown('new', 'a', 'b0', 'c', 'd0', 'e').slice(1)).toEqual(before.slice(1));
    expect(shown('a', 'b0', 'c', 'd0', 'e', 'f').slice(0, -1)).toEqual(before.slice(0, -1));
    expect(shown('a', 'b0', 'd0', 'e')).toEqual(['first a b0', 'b0 d0', 'd0 e']);
  });
});
