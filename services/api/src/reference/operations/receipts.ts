import { shapes, type Schema } from '@gateway/contracts';
import type { ReceiptStatement } from '../../use-cases/issue-receipt.ts';
import { receiptKeysPath } from '../../http/routes/receipts.ts';
import { respondsWith, type Operation } from '../operation.ts';

const { constant, described, listOf, moment, named, oneOf, orNull, schemaOf, text, whole } = shapes;

const sha256: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

const file = named(
  'ReceiptFile',
  schemaOf<ReceiptStatement['files'][number]>({
    kind: oneOf(['video', 'last_frame']),
    sha256,
    size_bytes: whole,
    content_type: text,
  }),
);

const statement = named(
  'ReceiptStatement',
  schemaOf<ReceiptStatement>({
    version: { type: 'integer', const: 1 },
    issuer: described(text, 'Address of the gateway that states it.'),
    video: described(text, 'Id of the task.'),
    model: text,
    files: listOf(file),
    duration: described(whole, 'Seconds.'),
    resolution: text,
    ratio: text,
    prompt_sha256: described(
      orNull(sha256),
      'Of the prompt as it was sent, in UTF-8; null where it was not kept.',
    ),
    created_at: moment,
    started_at: orNull(moment),
    completed_at: moment,
    billed_quota: whole,
  }),
);

const key = named(
  'ReceiptKey',
  schemaOf<Record<'kty' | 'crv' | 'kid' | 'x' | 'alg' | 'use', string>>({
    kty: constant('OKP'),
    crv: constant('Ed25519'),
    kid: described(text, 'The name by which a receipt says which key has signed it.'),
    x: described(text, 'The key, base64url.'),
    alg: constant('EdDSA'),
    use: constant('sig'),
  }),
);

export const receiptSchemas: Readonly<Record<string, Schema>> = {
  VideoReceipt: schemaOf<
    Record<'object' | 'protected' | 'payload' | 'signature', string> & { statement: object }
  >({
    object: constant('video.receipt'),
    statement: described(statement, 'What is stated, for reading. What is signed is `payload`.'),
    protected: described(text, 'Header of the signature (RFC 7515), base64url.'),
    payload: described(text, 'The statement as JSON, base64url.'),
    signature: described(text, 'Ed25519 over `protected.payload` (RFC 8037), base64url.'),
  }),
  ReceiptKeys: schemaOf<{ keys: object[] }>({ keys: listOf(key) }),
};

/** Receipts, and the keys to check them with. */
export const receiptOperations: readonly Operation[] = [
  {
    id: 'getVideoReceipt',
    method: 'get',
    path: '/v1/videos/{id}/receipt',
    tag: 'Videos',
    summary: 'Get the receipt of a video',
    description:
      'A signed statement of what was made, when, and what it cost, with the hashes of the files: a flattened JWS with a readable `statement` beside it. It is the same whenever it is asked for, also once the files are gone.',
    access: 'videos:read',
    ids: { id: 'task' },
    responses: respondsWith('VideoReceipt', 'The receipt.'),
    errors: ['task_not_found', 'receipt_unavailable'],
  },
  {
    id: 'getReceiptKeys',
    method: 'get',
    path: receiptKeysPath,
    tag: 'Videos',
    summary: 'Get the public keys of receipts',
    description: 'A JWK set (RFC 7517). Keep it: it checks receipts without a connection.',
    access: 'open',
    responses: respondsWith('ReceiptKeys', 'The keys, the one that signs first.'),
    errors: [],
  },
];
