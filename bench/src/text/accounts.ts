import {
  createAccounts,
  createAdjustments,
  createAdministration,
  createCallbackSecrets,
  createDatabase,
  createLedger,
  type Database,
} from '@gateway/store';
import { newId } from '@gateway/runtime';

const openedAtOnce = 16;
const plenty = 1_000_000;

/** Opens so many accounts, each with a key of its own; resolves with the keys. */
export async function openAccounts(url: string, count: number): Promise<string[]> {
  const database = createDatabase({
    url,
    applicationName: 'bench',
    poolSize: openedAtOnce,
    onError: () => undefined,
  });
  const opening = Array.from({ length: count }, (_, index) => index);
  const apiKeys: string[] = [];
  try {
    const open = accountOpener(database);
    const openSome = async (): Promise<void> => {
      for (let next = opening.pop(); next !== undefined; next = opening.pop()) {
        apiKeys.push(await open(`Bench ${next}`));
      }
    };
    await Promise.all(Array.from({ length: openedAtOnce }, openSome));
    return apiKeys;
  } finally {
    await database.part.stop();
  }
}

/** Opens an account that can pay for the whole bench; resolves with its key. */
function accountOpener(database: Database): (name: string) => Promise<string> {
  const { openAccount, makeKey } = createAdministration({
    accounts: createAccounts(database),
    ledger: createLedger(database),
    adjustments: createAdjustments(database),
    callbackSecrets: createCallbackSecrets(database),
    newId,
  });
  return async (name) => {
    const { id: accountId } = await openAccount({ name, quota: plenty });
    const { apiKey } = await makeKey({
      accountId,
      name: 'bench',
      scopes: ['text'],
      models: [],
      requestsPerMinute: null,
      expiresAt: null,
    });
    return apiKey;
  };
}
