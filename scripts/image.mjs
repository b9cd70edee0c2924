// npm run image: builds the one image of the suite, with Docker or Podman where one of them runs,
// else with buildah (Linux, root).
//   --tag NAME       default generation-gateway:local
//   --base NAME      the base image, default that of the Dockerfile; without a registry buildah makes a stand-in from this machine
//   --engine NAME    docker, podman or buildah
//   --try            then runs every command of the image as it runs in production: read-only, as a numbered user (buildah and runc)
//   --archive FILE   buildah: also writes what `docker load` and `kind load image-archive` read
import { rmSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildahEngine, storeFolder } from './image/buildah.mjs';
import { clientEngine, chooseEngine } from './image/engines.mjs';
import { tryImage } from './image/trial.mjs';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { ensureSetup } from './setup.mjs';

const say = (line) => process.stderr.write(`${line}\n`);

function readOptions() {
  /** @type {{ type: 'string' }} */
  const text = { type: 'string' };
  try {
    return parseArgs({
      options: {
        tag: { ...text, default: 'generation-gateway:local' },
        base: text,
        engine: text,
        archive: text,
        try: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new SetupFailure(
      `${error.message}\nUsage: npm run image -- [--tag NAME] [--base NAME] [--engine docker|podman|buildah] [--try] [--archive FILE]`,
    );
  }
}

try {
  const options = readOptions();
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
