import { describe, expect, it } from '@jest/globals';
import type { Page } from '@gateway/client';
import {
  extended,
  refreshed,
  replaced,
  without,
  type Rows,
} from '../../../services/console/src/gateway/pages.ts';

interface Item {
  readonly id: string;
  readonly word?: string;
}

const items = (ids: string): Item[] => ids.split('').map((id) => ({ id }));
const page = (ids: string, hasMore = true): Page<Item> => ({
  data: items(ids),
  last_id: ids.at(-1) ?? 'z',
  has_more: hasMore,
});
const known = (ids: string, next: string | undefined = ids.at(-1)): Rows<Item> => ({
  rows: items(ids),
  next,
  isSparse: false,
});
const text = ({ rows, next, isSparse }: Rows<Item>): string =>
  `${rows.map(({ id }) => id).join('')} ${next ?? 'end'}${isSparse ? ' sparse' : ''}`;

describe('a first page that is read again, three rows a page', () => {
  it.each<[string, Rows<Item> | undefined, Page<Item>, string]>([
    ['is all that is known at first', undefined, page('abc'), 'abc c'],
    ['is the whole list where it ends', known('abcdef'), page('ab', false), 'ab end'],
    ['changes nothing where nothing happened', known('abcdef'), page('abc'), 'abcdef f'],
    ['puts a new row before the others', known('abcdef'), page('nab'), 'nabcdef f'],
    ['leaves out a row that is gone', known('abcdef'), page('acd'), 'acdef f'],
    ['begins anew where it reaches nothing known', known('abcdef'), page('xyz'), 'xyz z'],
    ['keeps what a search found further back', known('cdef'), page(''), 'cdef f'],
    ['puts before it what a search has found', known('cdef'), page('a'), 'acdef f'],
    [
      'knows an end that was reached',
      { ...known('abcdef'), next: undefined },
      page('nab'),
      'nabcdef end',
    ],
  ])('%s', (_case, before, read, expected) => {
    expect(text(refreshed(before, read, 3))).toBe(expected);
  });
});

describe('a page behind what is known', () => {
  it.each<[string, string, Page<Item>, string]>([
    ['goes on from its own end', 'c', page('def'), 'abcdef f'],
    ['ends the list', 'c', page('de', false), 'abcde end'],
    ['shows no row twice', 'c', page('cde'), 'abcde e'],
    ['may be empty and not the end', 'c', page(''), 'abc z sparse'],
    ['changes nothing when it comes late', 'b', page('cde'), 'abc c'],
  ])('%s', (_case, after, read, expected) => {
    expect(text(extended(known('abc'), after, read))).toBe(expected);
  });
});

describe('a single row', () => {
  it('is replaced where it stands, and the list is the same one where it does not', () => {
    const list = known('abc');
    const change = (item: Item): Item => ({ ...item, word: 'new' });

    expect(replaced(list, 'b', change).rows).toEqual([
      { id: 'a' },
      { id: 'b', word: 'new' },
      { id: 'c' },
    ]);
    expect(replaced(list, 'x', change)).toBe(list);
  });

  it('is taken out', () => {
    expect(text(without(known('abc'), 'b'))).toBe('ac c');
  });
});
