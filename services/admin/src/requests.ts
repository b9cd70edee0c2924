import { createAdminRequestReader, type AdminRequestReader } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import { keyScopes, usualKeyScopes } from '@gateway/store';
import { UsageError } from './command.ts';

const reader = createAdminRequestReader({
  scopes: keyScopes,
  usualScopes: usualKeyScopes,
  now: () => new Date(),
});

/**
 * What the options of a command ask for, by the very rules of the HTTP route that does the same.
 * `body` has the fields of the route; what is wrong with one is told by the name of its option, which
 * is the field's with dashes unless `options` names another. Throws a UsageError with every problem.
 */
export function readRequest<T>(
  read: (reader: AdminRequestReader) => T,
  options: Readonly<Record<string, string>> = {},
): T {
  try {
    return read(reader);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    const problems = error.details.length === 0 ? [error] : error.details;
    throw new UsageError(
      problems
        .map(({ param, message }) =>
          param === null
            ? message.replace(/^the body must be an object with/, 'give')
            : message.replace(
                /^[a-z_]+/,
                (field) => `--${options[field] ?? field.replaceAll('_', '-')}`,
              ),
        )
        .join('\n'),
    );
  }
}

/** A number where the text is one: what else it is, the rules of the route say. */
export const numberIn = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : text;

/** The items of a comma-separated list. */
export const listIn = (text: string | undefined): string[] | undefined =>
  text
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** The fields that were given. */
export const givenOf = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
