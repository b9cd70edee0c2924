// npm run image: builds the one image of the suite; `npm run image -- --help` says more.
import { rmSync } from 'node:fs';
import process from 'node:process';
import { buildahEngine, storeFolder } from './image/buildah.mjs';
import { clientEngine, chooseEngine } from './image/engines.mjs';
import { tryImage } from './image/trial.mjs';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { ensureSetup } from './setup.mjs';

const say = (line) => process.stderr.write(`${line}\n`);

const help = `npm run image: builds the one image of the suite, with Docker or Podman where one of them runs, else with buildah (Linux, root).

  --tag NAME      name of the image (generation-gateway:local)
  --base NAME     base image (that of the Dockerfile; without a registry buildah makes a stand-in from this machine)
  --engine NAME   docker, podman or buildah
  --archive FILE  buildah: also write what "docker load" and "kind load image-archive" read
  --try           buildah: then run every command of the image as in production: read-only, as a numbered user
`;

/** @type {{ type: 'string' }} */
const text = { type: 'string' };

try {
  const { values: options } = readArguments(help, {
    options: {
      tag: { ...text, default: 'generation-gateway:local' },
      base: text,
      engine: text,
      archive: text,
      try: { type: 'boolean', default: false },
    },
  });
  const name = await chooseEngine(options.engine);
  if (name !== 'buildah' && (options.try || options.archive !== undefined)) {
    throw new SetupFailure(
      '--try and --archive need buildah: add --engine buildah. With Docker, `docker compose up` tries the image.',
    );
  }
  const engine = name === 'buildah' ? buildahEngine(say) : clientEngine(name);
  say(`Building ${options.tag} with ${name}${name === 'buildah' ? `, in ${storeFolder}` : ''}.`);
  await engine.build({ tag: options.tag, base: options.base });
  say(`${options.tag}: ${await engine.sizeOf(options.tag)}.`);
  if (options.archive !== undefined) {
    rmSync(options.archive, { force: true });
    await engine.archive(options.tag, options.archive);
    say(`Written to ${options.archive}.`);
  }
  if (options.try) {
    await ensureSetup();
    await engine.withRoot(options.tag, (image) => tryImage(image, say));
  }
  process.exit(0);
} catch (error) {
  endWith(error);
}
