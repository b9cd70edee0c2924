/** Prefixes of our ids. An id is `<prefix>_<26 characters>`: a TypeID, that is a UUIDv7 in base 32, ordered by time. */
export const idPrefixes = { task: 'video', account: 'acct', key: 'key', attempt: 'attempt', asset: 'asset', usage: 'usage', usageBatch: 'batch' } as const;
export type IdKind = keyof typeof idPrefixes;

const suffix = '[0-7][0-9a-hjkmnp-tv-z]{25}';
/** The form of an id of this kind, for schemas. */
export const idPattern = (kind: IdKind): string => `^${idPrefixes[kind]}_${suffix}$`;

const kinds = Object.keys(idPrefixes) as IdKind[];
const patterns = Object.fromEntries(kinds.map((kind) => [kind, new RegExp(idPattern(kind))])) as Record<IdKind, RegExp>;

/** Whether `text` has the form of an id of this kind; looked up only when it has. */
export const isId = (kind: IdKind, text: string): boolean => patterns[kind].test(text);
