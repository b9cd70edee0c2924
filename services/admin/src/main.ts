import { describeError } from '@gateway/domain';
import { newId } from '@gateway/runtime';
import { createAccounts, createCallbackDeliveries, createCallbackSecrets, createDatabase, createLedger, createLedgerReads } from '@gateway/store';
import { UsageError } from './command.ts';
import { readSettings } from './config.ts';
import { parse } from './run.ts';

async function main(): Promise<number> {
  const parsed = parse(process.argv.slice(2));
  if (parsed.kind === 'help') {
    console.log(parsed.text);
    return 0;
  }
  const { DATABASE_URL: url, CALLBACK_SECRET_KEYS: secretKeys } = readSettings();
  const database = createDatabase({ url, secretKeys, applicationName: 'gateway admin', poolSize: 2, onError: () => undefined });
  try {
    const { ok, lines, data } = await parsed.run({
      accounts: createAccounts(database), callbackDeliveries: createCallbackDeliveries(database), callbackSecrets: createCallbackSecrets(database),
      ledger: createLedger(database), ledgerReads: createLedgerReads(database), newId,
    });
    console.log(parsed.json ? JSON.stringify(data, null, 2) : lines.join('\n'));
    return ok ? 0 : 1;
  } finally {
    await database.part.stop();
  }
}

main().then(
  (code) => { process.exitCode = code; },
  (error: unknown) => {
    console.error(describeError(error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
