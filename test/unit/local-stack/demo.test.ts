import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import {
  ensureDemoAccount,
  type DemoFile,
  type RunAdmin,
} from '../../../packages/local-stack/src/demo.ts';
import { renderSummary } from '../../../packages/local-stack/src/summary.ts';

const kept = {
  account_id: 'acct_1',
  key_id: 'key_1',
  api_key: 'sk-gw-old',
  callback_secret: 'whsec_old',
};

/** An admin command that knows some keys, and notes what it is asked. */
function anAdmin(knownKeys: readonly string[]): { admin: RunAdmin; asked: string[] } {
  const asked: string[] = [];
  const admin: RunAdmin = (args) => {
    asked.push(args.join(' '));
    const responses: Record<string, object> = {
      account: { id: 'acct_2', callback_secret: 'whsec_new' },
      key: { id: 'key_2', api_key: 'sk-gw-new' },
    };
    const isRefused = args[1] === 'check' && !knownKeys.includes(args[3] ?? '');
    return Promise.resolve({
      exitCode: isRefused ? 1 : 0,
      stdout: JSON.stringify(responses[args[0] ?? '']),
      stderr: '',
    });
  };
  return { admin, asked };
}

describe('the demo account', () => {
  it('is the one of an earlier start while the database knows its key', async () => {
    const { admin, asked } = anAdmin(['sk-gw-old']);

    expect(await ensureDemoAccount(kept, admin)).toEqual(kept);
    expect(asked).toEqual(['key check --key sk-gw-old --json']);
  });

  it.each([
    ['there was none', undefined],
    ['the database is another one', kept],
  ])('is made, with a key, when %s', async (_when, before) => {
    const { admin, asked } = anAdmin([]);

    expect(await ensureDemoAccount(before, admin)).toEqual({
      account_id: 'acct_2',
      key_id: 'key_2',
      api_key: 'sk-gw-new',
      callback_secret: 'whsec_new',
    });
    expect(asked.slice(-2)).toEqual([
      'account create --name Demo --quota 1000000 --json',
      'key create --account acct_2 --name demo --scopes videos:write,videos:read,text,billing:read,secrets:read --json',
    ]);
  });

  it("ends the start with the admin command's own words when it cannot be made", async () => {
    const admin: RunAdmin = () =>
      Promise.resolve({ exitCode: 1, stdout: '', stderr: 'relation "accounts" does not exist\n' });

    await expect(ensureDemoAccount(undefined, admin)).rejects.toMatchObject({
      code: 'command_failed',
      message:
        'Creating the demo account failed (admin account create, exit code 1): relation "accounts" does not exist',
    });
  });
});

describe('the summary of npm start', () => {
  const demo: DemoFile = {
    base_url: 'http://127.0.0.1:3000',
    console_url: 'http://127.0.0.1:3000/',
    api_key: 'sk-gw-key',
    admin_token: 'admin-1',
    callback_secret: 'whsec_1',
    sandbox_url: 'http://127.0.0.1:1',
    billing_url: 'http://127.0.0.1:2',
    ops_urls: { api: 'http://127.0.0.1:3' },
    config_file: '/x/gateway.yaml',
    database_url: 'postgresql://a',
    admin_database_url: 'postgresql://c',
    redis_url: 'redis://b',
  };
  const options = { dataDir: '.data', hasColours: false, seconds: 4.21 };

  it('names the console, the key, the logs and how to stop', () => {
    const text = renderSummary(demo, options);

    for (const part of [
      'ready (4.2 s)',
      demo.console_url,
      demo.api_key,
      `${demo.ops_urls['api']}/metrics`,
      '.data/logs',
      '.data/demo.json',
      'Ctrl-C',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('carries commands that a shell runs as they are copied: the second reads what the first made, the third streams a text', () => {
    const commands = renderSummary(demo, options)
      .split('\n')
      .filter(
        (line) =>
          line.startsWith('  VIDEO=') || line.startsWith('    ') || line.startsWith('  curl'),
      )
      .join('\n');
    const fakeCurl =
      'curl() { case "$2" in */v1/videos) echo "{\\"id\\":\\"video_01abc\\"}";; *) echo "asked $*";; esac; }';

    const printed = execFileSync('bash', ['-c', `${fakeCurl}\n${commands}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });

    expect(printed.trim().split('\n')).toEqual([
      'asked -sS http://127.0.0.1:3000/v1/videos/video_01abc -H authorization: Bearer sk-gw-key',
      expect.stringMatching(
        /^asked -sSN http:\/\/127\.0\.0\.1:3000\/v1\/chat\/completions -H authorization: Bearer sk-gw-key -H content-type: application\/json -d \{.*"stream":true/,
      ),
    ]);
  });

  it('has colours on a terminal only', () => {
    expect(renderSummary(demo, options)).not.toContain('\u001b');
    expect(renderSummary(demo, { ...options, hasColours: true })).toContain('\u001b[1m');
  });
});
