import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import process from 'node:process';
import { promisify } from 'node:util';

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/**
 * Whether nobody here knows the name of npm's registry, and no proxy would ask for it either. npm
 * finds that out package by package, for minutes.
 *
 * @param {readonly string[]} npm the words that run it
 */
export async function isWithoutRegistry([command = 'npm', ...first], environment = process.env) {
  try {
    const settings = await settingsOf(command, first);
    const isProxied =
      proxies.some((name) => Boolean(environment[name])) ||
      ['proxy', 'https-proxy'].some((name) => settings.get(name) !== 'null');
    if (isProxied) return false;
    await lookup(new URL(settings.get('registry') ?? '').hostname);
    return false;
  } catch (error) {
    return ['ENOTFOUND', 'EAI_AGAIN'].includes(error.code);
  }
}

/** `name=value`, a line each. */
async function settingsOf(command, first) {
  const { stdout } = await promisify(execFile)(command, [
    ...first,
    'config',
    'get',
    'registry',
    'proxy',
    'https-proxy',
  ]);
  return new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
