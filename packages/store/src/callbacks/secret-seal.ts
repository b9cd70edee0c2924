import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Keeps secrets so that a copy of the database alone does not reveal them. */
export interface SecretSeal {
  /**
   * What is stored for `secret`: sealed under the first key, or `secret` itself when there is no
   * key. `owner` is sealed with it.
   */
  close(secret: string, owner: string): string;
  /**
   * The secret again; what was stored in clear is returned as it is. Throws SecretSealError when
   * the key is not here.
   */
  open(stored: string, owner: string): string;
  /**
   * Whether `stored` is what `close` would make of it today: sealed under the first key, or in
   * clear when there is none.
   */
  isCurrent(stored: string): boolean;
}

/**
 * A setting is wrong, or a stored secret cannot be opened: the operator's to mend, never shown to
 * customers.
 */
class SecretSealError extends Error {
  override readonly name = 'SecretSealError';
}

interface Key {
  readonly kid: string;
  readonly key: Buffer;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const kidPattern = /^[A-Za-z0-9_-]{1,32}$/;
const sealedPattern = /^sealed\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;

/**
 * `keys` reads `k2:<base64>,k1:<base64>`, 32 bytes each: the first seals, all open. Empty: nothing
 * is sealed. Never shows key bytes.
 */
export function secretSealOf(keys: string): SecretSeal {
  const known = parseKeys(keys);
  const [first] = known;
  return {
    close(secret, owner) {
      if (first === undefined) return secret;
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, first.key, nonce, {
        authTagLength: tagBytes,
      }).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `sealed.${first.kid}.${sealed.toString('base64url')}`;
    },
    open(stored, owner) {
      const [, kid, text] = sealedPattern.exec(stored) ?? [];
      if (kid === undefined || text === undefined) return stored;
      const key = known.find((one) => one.kid === kid)?.key;
      if (key === undefined) {
        throw new SecretSealError(
          `a callback secret is sealed under the key "${kid}", which CALLBACK_SECRET_KEYS does not have`,
        );
      }
      return openWith(key, Buffer.from(text, 'base64url'), owner);
    },
    isCurrent: (stored) => sealedPattern.exec(stored)?.[1] === first?.kid,
  };
}

function openWith(key: Buffer, sealed: Buffer, owner: string): string {
  try {
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([
      decipher.update(sealed.subarray(nonceBytes, -tagBytes)),
      decipher.final(),
    ]).toString('utf8');
  } catch {
    throw new SecretSealError(
      'a callback secret cannot be opened: its key in CALLBACK_SECRET_KEYS has changed, or the row was altered',
    );
  }
}

function parseKeys(text: string): Key[] {
  const keys = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseKey);
  const twice = keys.find(
    ({ kid }, index) => keys.findIndex((other) => other.kid === kid) !== index,
  );
  if (twice !== undefined) {
    throw new SecretSealError(`CALLBACK_SECRET_KEYS: "${twice.kid}" is there twice`);
  }
  return keys;
}

function parseKey(entry: string, index: number): Key {
  const at = entry.indexOf(':');
  const kid = entry.slice(0, Math.max(at, 0));
  // Without a colon the entry may be the key itself: it is not repeated.
  if (!kidPattern.test(kid)) {
    throw new SecretSealError(
      `CALLBACK_SECRET_KEYS: entry ${index + 1} is not written as <kid>:<base64>`,
    );
  }
  const key = Buffer.from(entry.slice(at + 1), 'base64');
  if (key.toString('base64') !== entry.slice(at + 1) || key.length !== keyBytes) {
    throw new SecretSealError(`CALLBACK_SECRET_KEYS: "${kid}" must be ${keyBytes} bytes in base64`);
  }
  return { kid, key };
}
