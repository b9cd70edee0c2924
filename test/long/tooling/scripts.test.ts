/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const scripts = path.resolve(import.meta.dirname, '../../../scripts');

/** Runs a script and gives how it ended, also where it fails. */
const outcomeOf = (script: string, option: string): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [path.join(scripts, script), option], (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` });
    });
  });

describe.each([
  ['setup.mjs', 'npm run build'],
  ['check.mjs', 'npm run check'],
  ['clean.mjs', 'npm run clean'],
  ['image.mjs', 'npm run image'],
  ['render.mjs', 'npm run render'],
  ['release.mjs', 'npm run release'],
  ['complete-lock.mjs', 'complete-lock.mjs'],
])('scripts/%s', (script, usage) => {
  it.each(['--help', '-h'])('says what it does for %s, and does nothing', async (option) => {
    const { code, text } = await outcomeOf(script, option);

    expect({ code, text: text.slice(0, 200) }).toEqual({
      code: 0,
      text: expect.stringContaining(usage),
    });
    expect(text).not.toMatch(/removed|wrote|Building|Set-up|entries added/);
  });

  it('refuses an option that it does not know, with its help, and does nothing', async () => {
    const { code, text } = await outcomeOf(script, '--helpp');

    expect(code).toBe(1);
    expect(text).toContain("'--helpp'");
    expect(text).toContain(usage);
    expect(text).not.toMatch(/removed|wrote|Building|Set-up|entries added/);
  });
});
