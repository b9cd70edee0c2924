import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

/**
 * One more attempt after a short wait: npm makes its attempts for each of several hundred packages
 * before it says that nothing answers. What a developer of one of the tools should know, such as the
 * Node that it prefers, is not a newcomer's concern.
 */
const usual = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=250',
  '--fetch-retry-maxtimeout=1000',
  '--fetch-timeout=60000',
];

/** The options of every npm of the set-up; a cache in the checkout where npm's own cannot be written. */
export function npmOptions(root, environment = process.env) {
  const cache = environment.npm_config_cache || join(environment.HOME || homedir(), '.npm');
  return isWritable(cache) ? usual : [...usual, '--cache', join(root, '.cache', 'npm')];
}

/** Whether somebody may write there, or may make the folder. */
function isWritable(folder) {
  if (!existsSync(folder) && dirname(folder) !== folder) return isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * What npm prints, and what its reader can do about it.
 *
 * @type {readonly (readonly [pattern: RegExp, remedy: string])[]}
 */
const remedies = [
  [
    /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|ENOTCACHED)\b/,
    'the npm registry cannot be reached. Connect to a network, or correct what "npm config get registry" and "npm config get proxy" print, then start again.',
  ],
  [
    /\b(?:EACCES|EPERM|EROFS)\b/,
    'npm may not write there, see above. Run this as the owner of the checkout, then start again.',
  ],
  [/\bENOSPC\b/, 'the disk is full. Make room, then start again.'],
  [
    /\bE40[13]\b/,
    'the npm registry wants you to sign in: correct the token in your .npmrc, then start again.',
  ],
];

/** One sentence for a failed npm. */
export function npmFailure(action, output) {
  const found = remedies.find(([pattern]) => pattern.test(output));
  const remedy = found === undefined ? 'see above; then start again.' : found[1];
  return `Installing the dependencies failed (npm ${action}): ${remedy}`;
}
