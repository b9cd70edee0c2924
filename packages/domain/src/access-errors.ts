export interface ErrorSpec {
  readonly status: number;
  readonly type: ErrorType;
  /** What it means and what to do, for docs/errors.md. */
  readonly meaning: string;
}

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'quota_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'internal_error'
  | 'upstream_error';

/** Who may not, or not any more: 401, 402 and 403. A part of the one list of failures. */
export const accessErrors = {
  missing_api_key: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The request has no API key. Send `Authorization: Bearer <API_KEY>` or `x-api-key`.',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The API key is unknown or was revoked.',
  },
  expired_api_key: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The API key has expired. Ask for a new one.',
  },
  invalid_admin_token: {
    status: 401,
    type: 'authentication_error',
    meaning:
      'The admin token is missing or wrong. Send `Authorization: Bearer <ADMIN_TOKEN>` on `/admin/v1`; an API key does not open it.',
  },
  invalid_session: {
    status: 401,
    type: 'authentication_error',
    meaning:
      'The session of the cookie has ended: it was closed, was unused for too long or is over its time. Sign in again.',
  },
  missing_token: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The media address lacks its `token`. Read the task again and use the whole address.',
  },
  insufficient_quota: {
    status: 402,
    type: 'quota_error',
    meaning:
      'The account has less quota available than this request reserves, or than an adjustment takes. The message states both figures.',
  },
  scope_missing: {
    status: 403,
    type: 'permission_error',
    meaning: 'The API key lacks the scope this route needs.',
  },
  foreign_page: {
    status: 403,
    type: 'permission_error',
    meaning:
      'A session cookie counts for pages of the gateway itself, which send `x-gateway-console: 1` with whatever changes something. Programs use an API key.',
  },
  origin_not_allowed: {
    status: 403,
    type: 'permission_error',
    meaning:
      'A page of this origin may not use this route. The operator allows origins in `CORS_ORIGINS`.',
  },
  account_suspended: {
    status: 403,
    type: 'permission_error',
    meaning:
      'The operator has suspended this account: it begins no new work. Running videos finish, and tasks, files and bills can be read. Ask the operator.',
  },
  model_not_allowed: {
    status: 403,
    type: 'permission_error',
    meaning: 'The API key may not use this model.',
  },
  invalid_token: {
    status: 403,
    type: 'permission_error',
    meaning:
      'The media token does not belong to this address. Read the task again for a fresh address.',
  },
  token_expired: {
    status: 403,
    type: 'permission_error',
    meaning: 'The media token has expired. Read the task again for a fresh address.',
  },
} as const satisfies Record<string, ErrorSpec>;
