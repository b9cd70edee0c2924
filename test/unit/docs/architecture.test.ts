import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { diagram } from '@gateway/domain';

const root = path.resolve(import.meta.dirname, '../../..');
const architecture = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');

const sources = ['packages', 'services'].flatMap((folder) =>
  readdirSync(path.join(root, folder)).flatMap((part) =>
    readdirSync(path.join(root, folder, part, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
      .map((file) => path.join(folder, part, 'src', file))
      // Generated from the document.
      .filter((file) => file !== 'packages/client/src/schema.ts'),
  ),
);

describe('ARCHITECTURE.md', () => {
  it('shows the states as the code has them', () => {
    expect(architecture).toContain(`\`\`\`mermaid\n${diagram()}\n\`\`\``);
  });

  it('names only files and folders that exist', () => {
    const named = [
      ...architecture.matchAll(
        /`((?:packages|services|bench|test|prisma|config|docs)\/[\w./-]+)`/g,
      ),
    ].map(([, file]) => file!.replace(/\/$/, ''));

    const missing = named.filter((file) => !sources.includes(file) && !existsInRoot(file));

    expect(named.length).toBeGreaterThan(5);
    expect(missing).toEqual([]);
  });

  it('lists every package and service in its map of the folders', () => {
    const folders = ['packages', 'services'].flatMap((folder) =>
      readdirSync(path.join(root, folder)),
    );

    expect(
      folders.filter((folder) => !new RegExp(`^  ${folder}/ `, 'm').test(architecture)),
    ).toEqual([]);
  });
});

/**
 * One concept, one word: [what is not written, the word we use, where it stands for something
 * else].
 */
const words: readonly (readonly [RegExp, string, RegExp])[] = [
  [
    /webhook(?!-id|-timestamp|-signature|-endpoints|s\.com)/i,
    'callback',
    /standard ?webhooks|fal_webhook|openapi|\['webhooks'\]/i,
  ],
  [/canceled/i, 'cancelled', /cancell?ed.*vendor|'canceled'|canceled: /i],
];

describe('the words of the code', () => {
  it.each(words)('do not include %s: the word is %s', (banned, _word, otherwise) => {
    const uses = sources.flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .filter((line) => banned.test(line) && !otherwise.test(line))
        .map((line) => `${file}: ${line.trim().slice(0, 120)}`),
    );

    expect(uses).toEqual([]);
  });
});

function existsInRoot(file: string): boolean {
  try {
    readdirSync(path.join(root, file));
    return true;
  } catch {
    return readdirSync(path.join(root, path.dirname(file))).includes(path.basename(file));
  }
}
