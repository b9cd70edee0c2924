import { newTypeId } from '../ids.ts';

const accepted = /^[A-Za-z0-9_-]{1,128}$/;

/** The caller's own `x-request-id` when it is safe to print, else a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given !== undefined && accepted.test(given) ? given : newTypeId('req');
