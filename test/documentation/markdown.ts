import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const projectRoot = path.resolve(import.meta.dirname, '../..');

export interface Page {
  /** Relative to the root of the project, with slashes. */
  readonly name: string;
  readonly text: string;
}

export interface Block {
  /** Line of its fence, from 1. */
  readonly line: number;
  /** The first word behind the fence; empty where there is none. */
  readonly language: string;
  readonly code: string;
  /** Why it is not run: the comment `not run: …` right before it. */
  readonly notRun: string | undefined;
  /** Shell that makes what the block takes as given: the comment `given: …` right before it. */
  readonly given: string | undefined;
  /** Index of the heading that it stands under. */
  readonly section: number;
  /** Whether it is folded up below a command of the shell, and does the same in another language. */
  readonly isSame: boolean;
}

export interface Link {
  readonly line: number;
  readonly target: string;
}

const notOurs = new Set(['node_modules', 'dist', 'coverage']);

/** Every Markdown page of the project, in the order of their names. */
export function allPages(folder = ''): Page[] {
  return readdirSync(path.join(projectRoot, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        return entry.name.startsWith('.') || notOurs.has(entry.name) ? [] : allPages(name);
      }
      return entry.isFile() && entry.name.endsWith('.md')
        ? [{ name, text: readFileSync(path.join(projectRoot, name), 'utf8') }]
        : [];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The fenced blocks of a page, in order. Throws where a fence is not closed. */
export function blocksOf({ name, text }: Page): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let section = 0;
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at]!.startsWith('#')) section += 1;
    if (!lines[at]!.startsWith('```')) continue;
    const end = lines.indexOf('```', at + 1);
    if (end === -1) throw new Error(`${name}:${at + 1} opens a block that is not closed`);
    const [language = ''] = lines[at]!.slice(3).trim().split(/\s+/);
    const command = lines[at - 2]?.startsWith('<details><summary>')
      ? blocks.findLast((block) => block.language === 'sh')
      : undefined;
    blocks.push({
      line: at + 1,
      language,
      code: lines.slice(at + 1, end).join('\n'),
      section,
      isSame: command !== undefined,
      // What is said of the command is true of what does the same.
      ...(command === undefined
        ? commentsBefore(lines, at)
        : { notRun: command.notRun, given: command.given }),
    });
    at = end;
  }
  return blocks;
}

function commentsBefore(lines: readonly string[], fence: number): Pick<Block, 'notRun' | 'given'> {
  const comments: string[] = [];
  for (let at = fence - 1; at >= 0; at -= 1) {
    const comment = /^<!-- (.*) -->$/.exec(lines[at]!)?.[1];
    if (comment === undefined && lines[at] !== '') break;
    if (comment !== undefined) comments.unshift(comment);
  }
  const after = (word: string): string | undefined =>
    comments.find((comment) => comment.startsWith(`${word}: `))?.slice(word.length + 2);
  return { notRun: after('not run'), given: after('given') };
}

const withoutCode = (text: string): string =>
  text
    .replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));

/** What a page links to, code left out. */
export function linksOf({ text }: Page): Link[] {
  return withoutCode(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)/g)].map(([, inline, reference]) => ({
        line: index + 1,
        target: (inline ?? reference)!,
      })),
    );
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf({ text }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)) {
    const plain = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[`*]/g, '')
      .trim()
      .toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}
