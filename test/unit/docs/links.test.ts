import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  allPages,
  anchorsOf,
  linksOf,
  projectRoot,
  type Page,
} from '../../documentation/markdown.ts';

const pages = allPages();
const pageOf = (name: string): Page | undefined => pages.find((page) => page.name === name);

const isElsewhere = (target: string): boolean => /^[a-z]+:/.test(target);

/** The file, relative to the root, and the anchor that a link leads to. */
function placeOf(page: Page, target: string): { file: string; anchor: string | undefined } {
  const [file = '', anchor] = target.split('#');
  return {
    file:
      file === ''
        ? page.name
        : path.posix.join(path.posix.dirname(page.name), decodeURIComponent(file)),
    anchor,
  };
}

function isBroken(page: Page, target: string): boolean {
  const { file, anchor } = placeOf(page, target);
  if (file.startsWith('..') || !existsSync(path.join(projectRoot, file))) return true;
  const led = pageOf(file);
  return anchor !== undefined && led !== undefined && !anchorsOf(led).has(anchor);
}

describe('the pages of the project', () => {
  it.each(pages.map((page) => [page.name, page] as const))(
    '%s links to files and headings that exist',
    (_name, page) => {
      expect(
        linksOf(page)
          .filter(({ target }) => !isElsewhere(target) && isBroken(page, target))
          .map(({ line, target }) => `${page.name}:${line} ${target}`),
      ).toEqual([]);
    },
  );

  it('under docs are all in its index', () => {
    const index = pageOf('docs/README.md')!;
    const listed = new Set(linksOf(index).map(({ target }) => placeOf(index, target).file));

    expect(
      pages
        .map(({ name }) => name)
        .filter((name) => name.startsWith('docs/') && name !== index.name && !listed.has(name)),
    ).toEqual([]);
  });
});

describe('a heading', () => {
  it.each([
    ['# `GET /v1/videos/{id}/events`', 'get-v1videosidevents'],
    ['## 1. Verification', '1-verification'],
    [
      '### In S3, or a server that speaks its protocol',
      'in-s3-or-a-server-that-speaks-its-protocol',
    ],
    ['## See [the words](x.md) · here', 'see-the-words--here'],
  ])('%j is linked to as #%s', (text, anchor) => {
    expect([...anchorsOf({ name: 'x.md', text })]).toEqual([anchor]);
  });

  it('that comes twice gets a number', () => {
    expect([
      ...anchorsOf({ name: 'x.md', text: '# Use\n## Use\n```sh\n# no heading\n```\n' }),
    ]).toEqual(['use', 'use-1']);
  });
});
