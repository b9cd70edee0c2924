import type { LedgerEntry } from '@gateway/client';

/** What an entry of a ledger is called. */
export const ledgerWords: Readonly<Record<LedgerEntry['kind'], string>> = {
  top_up: 'Top-up',
  hold: 'Held for a video',
  lease: 'Held for text',
  charge: 'Charged',
  release: 'Released',
  debt: 'Debt',
  adjustment: 'Adjustment',
};
