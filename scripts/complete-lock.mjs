// node scripts/complete-lock.mjs, after a change of the dependencies: adds to package-lock.json
// what `npm install` leaves out when the registry at hand does not carry a package's optional
// builds for other platforms. Without those entries `npm ci` refuses the file, there and everywhere
// else.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { root } from './setup.mjs';

const help = `node scripts/complete-lock.mjs, after a change of the dependencies: adds to package-lock.json the optional builds for other platforms that "npm install" left out.
`;

try {
  readArguments(help, {});
} catch (error) {
  endWith(error);
}

const file = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];
const exactVersion = /^\d+\.\d+\.\d+[\w.+-]*$/;

const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name, version]) => exactVersion.test(version) && !isLocked(name, path))
    .map(([name, version]) => [`node_modules/${name}`, entryFor(name, version, entry.dev)]),
);

lock.packages = Object.fromEntries(
  Object.entries({ ...lock.packages, ...Object.fromEntries(missing) }).sort(([one], [other]) =>
    one.localeCompare(other, 'en'),
  ),
);
if (missing.length > 0) writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
process.stdout.write(`${missing.length} entries added to package-lock.json\n`);

function isLocked(name, path) {
  return `node_modules/${name}` in lock.packages || `${path}/node_modules/${name}` in lock.packages;
}

/** Such packages carry their platform in their name: `core-linux-arm-gnueabihf`. */
function entryFor(name, version, dev) {
  const os = systems.find((each) => name.includes(each));
  const cpu = processors.find((each) => name.includes(`-${each}`));
  return {
    version,
    ...(cpu && { cpu: [cpu] }),
    ...(dev && { dev }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
