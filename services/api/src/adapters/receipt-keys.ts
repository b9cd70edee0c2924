import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

/** A signed text, as JOSE writes it (RFC 7515, flattened; RFC 8037 for Ed25519). */
export interface SignedStatement {
  readonly payload: string;
  readonly protected: string;
  readonly signature: string;
}

/** A public key, as JOSE writes it. */
export interface PublicReceiptKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly kid: string;
  readonly x: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

export interface ReceiptKeys {
  /** Signs with the first key; the same statement always has the same signature. */
  sign(statement: object): SignedStatement;
  /** All of them: receipts that an earlier first key has signed stay verifiable. */
  readonly published: readonly PublicReceiptKey[];
}

interface Key {
  readonly kid: string;
  readonly secret: KeyObject;
}

/** As config.ts has it. */
export const receiptSettingSchemas = {
  RECEIPT_KEYS: {
    type: 'string',
    nullable: true,
    description:
      'Keys that sign receipts of videos, as k2:<base64 of 32 random bytes>,k1:<base64>; the first signs, the public halves of all are published. Without it there are no receipts',
  },
} as const;

const entryPattern = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;
/** Of a private key of Ed25519 in PKCS #8, before its 32 bytes. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Reads `k2:<base64>,k1:<base64>`, 32 random bytes each; undefined for an empty text. Throws an
 * Error that shows no key bytes.
 */
export function readReceiptKeys(text: string): ReceiptKeys | undefined {
  const keys = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(keyOf);
  const [first] = keys;
  if (first === undefined) return undefined;
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) {
    throw new Error('RECEIPT_KEYS has two keys of the same name');
  }
  return { published: keys.map(publicOf), sign: (statement) => signedBy(first, statement) };
}

function keyOf(entry: string, index: number): Key {
  const [, kid, encoded] = entryPattern.exec(entry) ?? [];
  if (kid === undefined || encoded === undefined) {
    throw new Error(
      `entry ${index + 1} of RECEIPT_KEYS is not written as <name>:<base64 of 32 random bytes>`,
    );
  }
  const der = Buffer.concat([pkcs8Head, Buffer.from(encoded, 'base64')]);
  return { kid, secret: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}

function publicOf({ kid, secret }: Key): PublicReceiptKey {
  const { x = '' } = createPublicKey(secret).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', kid, x, alg: 'EdDSA', use: 'sig' };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signedBy({ kid, secret }: Key, statement: object): SignedStatement {
  const head = encoded({ alg: 'EdDSA', kid, typ: 'gateway-receipt' });
  const payload = encoded(statement);
  const signature = sign(null, Buffer.from(`${head}.${payload}`), secret).toString('base64url');
  return { payload, protected: head, signature };
}
