import type { VendorResponse } from '../../../packages/video-providers/src/http.ts';

interface ResponseFields {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
  readonly retryAfterMs?: number;
}

/** A response as the client reads it; `json` is undefined where `text` is given. */
export const aResponse = ({
  status = 200,
  json,
  text = json === undefined ? '' : JSON.stringify(json),
  headers = {},
  ...rest
}: ResponseFields): VendorResponse => ({
  kind: 'responded',
  status,
  headers,
  json,
  text,
  ...rest,
});

export const anError = (
  status: number,
  code: unknown,
  message = 'something about it',
): VendorResponse =>
  aResponse({ status, json: { error: { code, message, param: '', type: 'x' } } });

export const id = 'cgt-20260101000000-abcde';

export const aTask = (fields: object): VendorResponse =>
  aResponse({
    json: {
      id,
      model: 'doubao-seedance-2-0-260128',
      created_at: 1767225600,
      updated_at: 1767225605,
      ...fields,
    },
  });
