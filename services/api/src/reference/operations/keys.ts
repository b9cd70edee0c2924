import { ref } from '../../http/resource-schemas.ts';
import { idSchema, pageParameters, respondsWith, type Operation } from '../operation.ts';

const tag = 'Keys';
const access = 'keys:write';

/** Keys that an account makes itself. */
export const keyOperations: readonly Operation[] = [
  {
    id: 'listKeys',
    method: 'get',
    path: '/v1/keys',
    tag,
    access,
    summary: 'List the keys of the account',
    query: pageParameters(idSchema('key')),
    responses: respondsWith('ApiKeyList', 'Keys, newest first; revoked ones too.'),
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
  {
    id: 'createKey',
    method: 'post',
    path: '/v1/keys',
    tag,
    access,
    summary: 'Make a key',
    description:
      'The new key may nothing that the key which makes it may not, and lasts no longer: scopes, models, rate and expiry that the body leaves out are those of its maker. This response shows it; nothing else ever does. An account may have 100 valid keys and make 200 a day.',
    body: {
      content: {
        'application/json': {
          schema: ref('ApiKeyRequest'),
          examples: {
            readOnly: {
              summary: 'For reading only',
              value: { name: 'dashboard', scopes: ['videos:read'] },
            },
          },
        },
      },
    },
    responses: respondsWith('NewApiKey', 'The key.'),
    errors: [
      'invalid_json',
      'invalid_parameter',
      'unknown_parameter',
      'missing_parameter',
      'payload_too_large',
      'unsupported_media_type',
      'overloaded',
      'model_not_allowed',
      'too_many_keys',
    ],
  },
  {
    id: 'revokeKey',
    method: 'delete',
    path: '/v1/keys/{id}',
    tag,
    access,
    summary: 'Revoke a key',
    description:
      'It stops working within five seconds, with all sessions that were opened with it.',
    ids: { id: 'key' },
    responses: respondsWith('ApiKey', 'The revoked key.'),
    errors: ['key_not_found'],
  },
];
