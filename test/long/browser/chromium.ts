import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findProgram } from '../debian-program.ts';

/** The shell costs half as much for each page; it is not installed where there is another. */
const places = [
  process.env['CHROMIUM_BIN'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Undefined where there is none: tests that need one are left out then, and say so. */
export const chromiumPath =
  (await findProgram('chromium-headless-shell', places)) ?? (await findProgram('chromium', places));

/** A real browser, without windows. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });

export interface Violation {
  readonly rule: string;
  readonly impact: string;
  readonly nodes: readonly string[];
}

/** Hides what a closed fold holds, or shows it again. */
const hideFolded = (isHidden: boolean): string =>
  `document.querySelectorAll('details:not([open]) > :not(summary)').forEach((each) => { each.hidden = ${isHidden}; })`;

/**
 * What axe finds in the page as it is shown now, or in the part of it that a selector names. What a
 * closed fold holds it leaves out either way, but Chromium computes that anew for each question about
 * its style, which is a third of the time for a page with 1,400 folds.
 */
export async function violationsIn(page: Page, part = 'html'): Promise<readonly Violation[]> {
  await page.evaluate(axe.source);
  await page.evaluate(hideFolded(true));
  const found: unknown =
    await page.evaluate(`axe.run(${JSON.stringify(part)}, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => ({ rule: id, impact, nodes: nodes.map(({ html }) => html.slice(0, 200)) })))`);
  await page.evaluate(hideFolded(false));
  return found as readonly Violation[];
}
