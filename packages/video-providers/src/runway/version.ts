/** The vendor refuses a request that does not say which version of its interface it was written for. */
const interfaceVersion = '2024-11-06';

export const headersOf = (apiKey: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${apiKey}`,
  'x-runway-version': interfaceVersion,
});
