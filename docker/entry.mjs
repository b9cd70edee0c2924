// The image's entry: the first argument names the part of the suite that this container is.
import process from 'node:process';

const programs = {
  api: '../dist/api.js',
  'video-worker': '../dist/video-worker.js',
  'callback-dispatcher': '../dist/callback-dispatcher.js',
  billing: '../dist/billing.js',
  'sandbox-vendor': '../dist/sandbox-vendor.js',
  admin: '../dist/admin.js',
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
// Stack traces name the sources.
process.setSourceMapsEnabled(true);
await import(programs[name]);
