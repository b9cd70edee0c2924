import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { configFolder } from './credentials.ts';
import { CommandError } from './exit-codes.ts';
import { writeWhole } from './files.ts';
import { keysIn, type ReceiptKey } from './receipt.ts';
import type { Terminal } from './terminal.ts';

type Surroundings = Pick<Terminal, 'env' | 'folder'>;

/** By the gateway's origin: two of them may call a key the same. */
type KeptKeys = Readonly<Record<string, { readonly keys: readonly ReceiptKey[] }>>;

const keptFile = (surroundings: Surroundings): string =>
  path.join(configFolder(surroundings), 'receipt-keys.json');

/** The keys of a file that a customer names. */
export async function readKeyFile(file: string): Promise<readonly ReceiptKey[]> {
  let keys: readonly ReceiptKey[] | undefined;
  try {
    keys = keysIn(await readFile(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (keys === undefined) throw new CommandError(`${file} holds no keys of receipts.`);
  return keys;
}

/** The keys of a gateway that were kept when one of its receipts was fetched. */
export const keptKeys = async (
  surroundings: Surroundings,
  origin: string,
): Promise<readonly ReceiptKey[]> => (await readKept(surroundings))[origin]?.keys ?? [];

async function readKept(surroundings: Surroundings): Promise<KeptKeys> {
  try {
    return JSON.parse(await readFile(keptFile(surroundings), 'utf8')) as KeptKeys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CommandError(`${keptFile(surroundings)} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Keeps the keys of a gateway for checks without a connection. Throws for a name that stands for two
 * keys, in whichever order: a gateway never changes a key, so somebody else may have answered.
 */
export async function keepKeys(
  surroundings: Surroundings,
  { origin, found }: { readonly origin: string; readonly found: readonly ReceiptKey[] },
): Promise<void> {
  const kept = await readKept(surroundings);
  const known = kept[origin]?.keys ?? [];
  const all = new Map<string, string>();
  for (const { kid, x } of [...known, ...found]) {
    if ((all.get(kid) ?? x) !== x) {
      throw new CommandError(
        `${origin} shows another key ${kid} than before. If its operator says that this is meant, remove ${keptFile(surroundings)}.`,
      );
    }
    all.set(kid, x);
  }
  if (all.size === known.length) return;
  const keys = [...all].map(([kid, x]) => ({ kty: 'OKP', crv: 'Ed25519', kid, x }));
  await writeWhole(
    keptFile(surroundings),
    `${JSON.stringify({ ...kept, [origin]: { keys } }, undefined, 2)}\n`,
  );
}
