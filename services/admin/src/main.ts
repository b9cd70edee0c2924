import { errorCatalogue, GatewayError } from '@gateway/domain';
import { openConfiguration } from '@gateway/runtime';
import { createDatabase } from '@gateway/store';
import { videoVendors } from '@gateway/video-providers';
import { UsageError } from './command.ts';
import { readSettings } from './config.ts';
import { explainFailure } from './explain-failure.ts';
import { portsOf } from './ports.ts';
import { parse } from './run.ts';

async function main(): Promise<number> {
  const parsed = parse(process.argv.slice(2));
  if (parsed.kind === 'help') {
    console.log(parsed.text);
    return 0;
  }
  const settings = readSettings();
  const { DATABASE_URL: url, CALLBACK_SECRET_KEYS: secretKeys } = settings;
  const database = createDatabase({
    url,
    secretKeys,
    applicationName: 'gateway admin',
    poolSize: 2,
    onError: () => undefined,
  });
  try {
    const { ok, lines, data, isPrinted } = await parsed.run(
      portsOf({
        settings,
        database,
        loadConfiguration: (file) =>
          openConfiguration({ path: file, environment: process.env, videoVendors }).current(),
      }),
    );
    if (isPrinted === true) return ok ? 0 : 1;
    console.log(parsed.json ? JSON.stringify(data, null, 2) : lines.join('\n'));
    return ok ? 0 : 1;
  } finally {
    await database.part.stop();
  }
}

/** What the caller can fix is wrong usage, wherever it was found. */
const isMistake = (error: unknown): boolean =>
  error instanceof UsageError ||
  (GatewayError.is(error) && errorCatalogue[error.code].status < 500);

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(explainFailure(error));
    process.exitCode = isMistake(error) ? 2 : 1;
  },
);
