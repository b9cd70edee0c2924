/** @workers 3: it promises no times. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { findProgram } from './debian-program.ts';

const gw = path.resolve(import.meta.dirname, '../../packages/cli/bin/gw.mjs');
const fish = await findProgram('fish', ['/usr/bin/fish', '/usr/local/bin/fish']);
const zsh = await findProgram('zsh', ['/usr/bin/zsh', '/bin/zsh']);

/** What somebody has typed when they press Tab, and what they are offered. */
const lines: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ['gw vid', ['video', 'videos']],
  ['gw videos c', ['cancel']],
  ['gw callbacks ', ['listen', 'log', 'redeliver', 'test']],
  ['gw video x --dur', ['--duration']],
  ['gw video x --tier ', ['flex', 'standard']],
  ['gw videos list --status c', ['cancelled']],
  ['gw videos list --li', ['--limit']],
  ['gw completion ', ['bash', 'fish', 'zsh']],
  ['gw completion --j', ['--json']],
  ['gw balance --j', ['--json']],
  ['gw help vid', ['video', 'videos']],
  ['gw video --model ', []],
  ['gw video x --output bal', ['balloon.mp4']],
  ['gw verify bal', ['balloon.mp4']],
  ['gw verify balloon.mp4 rec', ['receipt.json']],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gw-completion-'));
  await writeFile(path.join(folder, 'balloon.mp4'), '');
  await writeFile(path.join(folder, 'receipt.json'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  TERM: 'xterm',
  LANG: 'C.UTF-8',
});
const scriptFor = (shell: string): string =>
  execFileSync(process.execPath, [gw, 'completion', shell], { encoding: 'utf8' });

(fish === undefined ? describe.skip : describe)(
  `the completion of gw in ${fish ?? 'fish, which is not on this machine'}`,
  () => {
    beforeAll(() => writeFile(path.join(folder, 'gw.fish'), scriptFor('fish')));

    it.each(lines)('offers for "%s" %j', (typed, offered) => {
      const printed = execFileSync(
        fish!,
        ['--no-config', '-c', 'source gw.fish; complete -C $argv[1]', typed],
        { cwd: folder, env: environment(), encoding: 'utf8' },
      );

      const words = printed
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0]);
      expect([...new Set(words)].sort()).toEqual(offered);
    });
  },
);

/**
 * Makes an interactive zsh write down what each Tab offers: the words that its completion takes, in a
 * file, because its screen is made for eyes. Ctrl-G ends a line.
 */
const noting = `
PROMPT= RPROMPT=
autoload -Uz compinit
compinit -u -D
source ./gw.zsh
compadd() {
  case "\${argv[1,(i)(-|--)]}" in *-[OAD]*) builtin compadd "$@"; return ;; esac
  local -a offered
  builtin compadd -O offered "$@"
  print -rl -- "\${offered[@]}" >> offered
  builtin compadd "$@"
}
next-line() {
  print -r -- '.' >> offered
  zle .kill-whole-line
}
zle -N next-line
bindkey '^G' next-line
bindkey '^I' complete-word
print -r -- 'ready' >> offered
`;

(zsh === undefined ? describe.skip : describe)(
  `the completion of gw in ${zsh ?? 'zsh, which is not on this machine'}`,
  () => {
    /** What zsh has noted, line by line. */
    let noted: string[][];
    beforeAll(async () => {
      await writeFile(path.join(folder, 'gw.zsh'), scriptFor('zsh'));
      await writeFile(path.join(folder, 'noting.zsh'), noting);
      const file = path.join(folder, 'offered');
      await writeFile(file, '');
      // A real terminal for it, as "script" gives one.
      const child = spawn('script', ['-qec', `${zsh!} -f -i`, '/dev/null'], {
        cwd: folder,
        env: environment(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdout.resume();
      const read = async (end: (text: string) => boolean): Promise<string> =>
        eventually(async () => {
          const text = await readFile(file, 'utf8');
          if (!end(text)) throw new Error(`zsh has noted:\n${text}`);
          return text;
        });
      try {
        child.stdin.write('source ./noting.zsh\n');
        await read((text) => text === 'ready\n');
        for (const [typed] of lines) child.stdin.write(`${typed}\t\x07`);
        const text = await read((all) => all.match(/^\.$/gm)?.length === lines.length);
        noted = text
          .slice('ready\n'.length)
          .split(/^\.\n/m)
          .map((part) => part.split('\n').filter(Boolean));
      } finally {
        child.kill('SIGKILL');
      }
    });

    it.each(lines.map(([typed, offered], at) => [typed, offered, at] as const))(
      'offers for "%s" %j',
      (_typed, offered, at) => {
        expect([...new Set(noted[at])].sort()).toEqual(offered);
      },
    );
  },
);
