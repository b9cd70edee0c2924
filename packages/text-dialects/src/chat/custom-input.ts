import { isFields, parseJson } from '../json.ts';

/**
 * A custom tool's text, out of the object that the other dialect made of it; arguments of another
 * shape are given as they are.
 */
export function customInput(argumentsText: string): string {
  const value = parseJson(argumentsText);
  const input = isFields(value) ? value['input'] : undefined;
  return typeof input === 'string' ? input : argumentsText;
}
