// The image's entry: the first argument names the part of the suite that this container is.
import process from 'node:process';

const programs = {
  api: '../services/api/dist/main.js',
  'video-worker': '../services/video-worker/dist/main.js',
  'callback-dispatcher': '../services/callback-dispatcher/dist/main.js',
  billing: '../services/billing/dist/main.js',
  'sandbox-vendor': '../services/sandbox-vendor/dist/main.js',
  admin: '../services/admin/dist/main.js',
  migrate: '../prisma/dist/migrate.js',
};
const exitCodes = { SIGTERM: 143, SIGINT: 130 };

const [name] = process.argv.slice(2);
if (!Object.hasOwn(programs, name ?? '')) {
  process.stderr.write(
    `Name the part to run: ${Object.keys(programs).join(', ')}. ${name === undefined ? 'None was named' : `"${name}" is none of them`}.\n`,
  );
  process.exit(2);
}
// The first process of a container ignores a signal that it does not handle. A service handles its
// own once it is loaded.
for (const [signal, code] of Object.entries(exitCodes)) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(code);
  });
}
process.argv.splice(2, 1);
await import(programs[name]);
