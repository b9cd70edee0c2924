import { createHash } from 'node:crypto';

/** SHA-256 of what a body says: the order of its fields and its white space do not count. */
export const hashBody = (body: unknown): Uint8Array =>
  createHash('sha256').update(sortedText(body)).digest();

/** JSON with the fields of each object in the order of their names. */
export const sortedText = (body: unknown): string => JSON.stringify(body, sortedFields);

function sortedFields(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)));
}
