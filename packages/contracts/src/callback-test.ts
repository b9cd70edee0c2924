import { createBodyReader } from './body-reader.ts';

const longestUrl = 2_048;

/** Body of a request for a test event. */
export const callbackTestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['callback_url'],
  properties: {
    callback_url: {
      type: 'string',
      minLength: 1,
      maxLength: longestUrl,
      'x-must-be': `an address of at most ${longestUrl} characters`,
    },
  },
} as const;

/** Reads such a body into its address. Throws one failure that names every violation. */
export function createCallbackTestReader(): (body: unknown) => string {
  const read = createBodyReader(callbackTestSchema);
  return (body) => (read(body) as { readonly callback_url: string }).callback_url;
}
