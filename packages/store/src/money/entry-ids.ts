import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { isEntryId } from '@gateway/domain';
import type { Database } from '../database/database.ts';

/** The ids of ledger entries, as everybody sees them. */
export interface EntryIds {
  /** Of the entry with this number, in this account. */
  of(number: number, accountId: string): string;
  /** The number behind an id; undefined for what is no entry of this account. */
  numberOf(id: string, accountId: string): number | undefined;
}

const prefix = 'entry_';

/**
 * Entries are numbered over all accounts: shown as it is, a number would tell each customer how much
 * the whole gateway does. So the id is the number, sealed with the account under the installation's
 * key (one AES block): no order, no gaps, the same every time, and nothing to store.
 */
export async function loadEntryIds({ pool }: Pick<Database, 'pool'>): Promise<EntryIds> {
  const { rows } = await pool.query<{ key: Buffer }>('SELECT key FROM id_cipher');
  const key = rows[0]?.key;
  if (key === undefined) throw new Error('the table id_cipher is empty: run the migrations');
  return {
    of(number, accountId) {
      const block = Buffer.concat([Buffer.alloc(8), markOf(accountId)]);
      block.writeBigUInt64BE(BigInt(number));
      const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
      return `${prefix}${Buffer.concat([cipher.update(block), cipher.final()]).toString('hex')}`;
    },
    numberOf(id, accountId) {
      if (!isEntryId(id)) return undefined;
      const sealed = Buffer.from(id.slice(prefix.length), 'hex');
      const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(sealed), decipher.final()]);
      return block.subarray(8).equals(markOf(accountId))
        ? Number(block.readBigUInt64BE())
        : undefined;
    },
  };
}

/** Makes an id that was made up, or is another account's, show as such. */
const markOf = (accountId: string): Buffer =>
  createHash('sha256').update(accountId).digest().subarray(0, 8);
