/**
 * Prefixes of our ids. An id is `<prefix>_<26 characters>`: a TypeID, that is a UUIDv7 in base 32,
 * ordered by time.
 */
export const idPrefixes = {
  task: 'video',
  account: 'acct',
  key: 'key',
  attempt: 'attempt',
  asset: 'asset',
  usage: 'usage',
  usageBatch: 'batch',
  lease: 'lease',
  session: 'session',
  endpoint: 'endpoint',
} as const;
export type IdKind = keyof typeof idPrefixes;

const suffix = '[0-7][0-9a-hjkmnp-tv-z]{25}';
/** The form of an id of this kind, for schemas. */
export const idPattern = (kind: IdKind): string => `^${idPrefixes[kind]}_${suffix}$`;

const kinds = Object.keys(idPrefixes) as IdKind[];
const patterns = Object.fromEntries(
  kinds.map((kind) => [kind, new RegExp(idPattern(kind))]),
) as Record<IdKind, RegExp>;

/** Whether `text` has the form of an id of this kind; looked up only when it has. */
export const isId = (kind: IdKind, text: string): boolean => patterns[kind].test(text);

/** Whether `text` has the form of a ledger entry's id, whoever's. */
export const isEntryId = (text: string): boolean => /^entry_[0-9a-f]{32}$/.test(text);

const codes = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * The lowest id of this kind that can be made at this moment (`ms` since the epoch): its first ten
 * digits are the time. For comparisons, not a valid id.
 */
export function lowestIdAt(kind: IdKind, ms: number): string {
  let digits = '';
  for (
    let index = 0, rest = Math.min(Math.max(Math.floor(ms), 0), 2 ** 48 - 1);
    index < 10;
    index += 1, rest = Math.floor(rest / 32)
  ) {
    digits = `${codes.charAt(rest % 32)}${digits}`;
  }
  return `${idPrefixes[kind]}_${digits}`;
}
