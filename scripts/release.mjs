// npm run release: a version, from the changelog to the image; `npm run release -- --help` says more.
import process from 'node:process';
import { release } from './release/release.mjs';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { ensureSetup, root } from './setup.mjs';

const help = `npm run release -- VERSION: makes a release of this checkout: CHANGELOG.md, the version everywhere, k8s/install.yaml,
openapi/released.json, the image, a commit and a tag. Publishes nothing.

  VERSION     major, minor, patch, or one like 1.2.3; docs/upgrading.md says which it is
  --dry-run   say what would be done and what is in the way, and change nothing
  --no-image  leave the image to another machine
`;

try {
  const { values, positionals } = readArguments(help, {
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      'no-image': { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1 || (positionals.length === 0 && !values['dry-run'])) {
    throw new SetupFailure(`release: name one version.\n\n${help}`);
  }
  if (!values['dry-run']) await ensureSetup();
  await release({
    root,
    wanted: positionals[0] ?? 'minor',
    day: new Date().toISOString().slice(0, 10),
    dryRun: values['dry-run'],
    image: !values['no-image'],
    say: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  endWith(error);
}
