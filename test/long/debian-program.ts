import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const aptGet = '/usr/bin/apt-get';
/** Another file may be at it: apt waits for its lock. */
const install = ['-o', 'DPkg::Lock::Timeout=150', 'install', '-y', '--no-install-recommends'];
const installWithinMs = 180_000;

/**
 * Where a program of this machine is; installed from its distribution where that is possible.
 * Undefined where there is none: tests that need it are left out then, and say so.
 */
export async function findProgram(
  packageName: string,
  places: readonly string[],
): Promise<string | undefined> {
  const found = (): string | undefined => places.find((place) => place !== '' && existsSync(place));
  if (found() !== undefined || process.getuid?.() !== 0 || !existsSync(aptGet)) return found();
  await promisify(execFile)(aptGet, [...install, packageName], { timeout: installWithinMs }).catch(
    (error: unknown) => {
      process.stderr.write(`${packageName} cannot be installed: ${String(error).slice(0, 300)}\n`);
    },
  );
  return found();
}
