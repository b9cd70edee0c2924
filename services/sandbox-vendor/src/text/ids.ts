import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** So many letters and digits nobody can guess, as vendors put them into ids. */
export const randomToken = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
