import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { models, onTextStage, type Model, type TextStage } from '../e2e/text-clients.ts';

/** Too large for everybody's node_modules: who has it, or names it here, lets it judge. */
const codex = process.env['CODEX_BIN'] ?? 'codex';
const hasCodex = spawnSync(codex, ['--version']).status === 0;

/** As docs/text.md has it, and nothing leaves the machine. */
const settings = (stage: TextStage, model: Model): string => `
model = "${model}"
model_provider = "gateway"
model_reasoning_effort = "high"
model_reasoning_summary = "auto"
web_search = "disabled"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.gateway]
name = "gateway"
base_url = "${stage.versionedUrl}"
env_key = "GATEWAY_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false
`;
/** Whose thoughts have to come back over calls of tools. */
const thinkingModels: readonly Model[] = ['sandbox-messages', 'sandbox-responses'];
const nowhere = 'http://127.0.0.1:9';

interface CodexEvent {
  readonly type: string;
  readonly message?: string;
  readonly item?: { readonly type: string; readonly text?: string; readonly exit_code?: number };
}

const judge = (stage: () => TextStage): void => {
  describe('codex', () => {
    let home: string;
    let work: string;
    beforeEach(async () => {
      home = await mkdtemp(path.join(tmpdir(), 'codex-'));
      work = path.join(home, 'work');
      await mkdir(work);
    });
    afterEach(() => rm(home, { recursive: true, force: true }));

    const run = async (...words: string[]): Promise<CodexEvent[]> => {
      const running = promisify(execFile)(codex, ['exec', '--json', ...words], {
        cwd: work,
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          CODEX_HOME: home,
          GATEWAY_KEY: stage().customer.apiKey,
          HTTPS_PROXY: nowhere,
          HTTP_PROXY: nowhere,
          NO_PROXY: '127.0.0.1',
        },
      });
      running.child.stdin?.end();
      const { stdout } = await running;
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as CodexEvent);
    };
    const lastWords = (events: CodexEvent[]): string =>
      events.findLast(({ item }) => item?.type === 'agent_message')?.item?.text ?? '';

    it.each(models)(
      'writes a file, thinks over its calls and goes on where it was, on %s',
      async (model) => {
        await writeFile(path.join(home, 'config.toml'), settings(stage(), model));
        const command = JSON.stringify({ cmd: 'echo 19 degrees > weather.txt; cat weather.txt' });
        const mark = `codex on ${model}`;

        const first = await run(
          '--skip-git-repo-check',
          `${mark} [call=exec_command ${command}] [call=multi_agent_v1__close_agent {"target":"nobody"}]`,
        );
        const second = await run(
          'resume',
          '--last',
          '--skip-git-repo-check',
          `[call=exec_command {"cmd":"wc -w weather.txt"}] how many words?`,
        );

        expect(await readFile(path.join(work, 'weather.txt'), 'utf8')).toBe('19 degrees\n');
        expect(lastWords(first)).toMatch(/exec_command.*19 degrees.*close_agent/);
        expect(lastWords(second)).toContain('2 weather.txt');
        const requests = await stage().vendorRequests(mark);
        expect(requests.map(({ outcome }) => outcome)).toEqual(Array(4).fill('finished'));
        expect(JSON.stringify(requests.at(-1)?.body)).toMatch(
          thinkingModels.includes(model) ? /"(signature|encrypted_content)":"\w{20}/ : /./,
        );
      },
    );
  });
};

if (hasCodex) onTextStage(judge);
else {
  describe('codex (left out: it is not on the PATH, nor at CODEX_BIN)', () => {
    it.skip.each(models)('writes a file on %s', () => undefined);
  });
}
