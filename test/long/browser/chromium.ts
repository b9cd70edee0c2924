import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const aptGet = '/usr/bin/apt-get';
/** Another file may be at it: apt waits for its lock. */
const install = ['-o', 'DPkg::Lock::Timeout=150', 'install', '-y', '--no-install-recommends'];
const installWithinMs = 180_000;

/** The browser of this machine; installed from its distribution where that is possible. */
async function findChromium(): Promise<string | undefined> {
  const found = (): string | undefined =>
    [process.env['CHROMIUM_BIN'] ?? '', ...places].find(
      (place) => place !== '' && existsSync(place),
    );
  if (found() !== undefined || process.getuid?.() !== 0 || !existsSync(aptGet)) return found();
  await promisify(execFile)(aptGet, [...install, 'chromium'], { timeout: installWithinMs }).catch(
    (error: unknown) => {
      process.stderr.write(`chromium cannot be installed: ${String(error).slice(0, 300)}\n`);
    },
  );
  return found();
}

/** Undefined where there is none: tests that need one are left out then, and say so. */
export const chromiumPath = await findChromium();

/** A real browser, without windows. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });

export interface Violation {
  readonly rule: string;
  readonly impact: string;
  readonly nodes: readonly string[];
}

/** What axe finds in the page as it is shown now, or in the part of it that a selector names. */
export async function violationsIn(page: Page, part = 'html'): Promise<readonly Violation[]> {
  await page.evaluate(axe.source);
  const found: unknown =
    await page.evaluate(`axe.run(${JSON.stringify(part)}, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => ({ rule: id, impact, nodes: nodes.map(({ html }) => html.slice(0, 200)) })))`);
  return found as readonly Violation[];
}
