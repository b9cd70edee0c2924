import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Positions in the feed of all accounts' events, as one account sees them: the numbers themselves
 * would tell how much everybody together does.
 */
export interface FeedPositions {
  /** 48 characters of base64url. */
  seal(position: number, accountId: string): string;
  /** Undefined when it was not sealed for this account, or with a key that is no longer there. */
  open(sealed: string, accountId: string): number | undefined;
}

const cipher = 'aes-128-gcm';
const keyBytes = 16;
const nonceBytes = 12;
const positionBytes = 8;
const tagBytes = 16;

const positionKey = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'position in the event feed', keyBytes));

/** The first key seals, all open; each is used under a key derived from it. */
export function createFeedPositions(
  tokenKeys: readonly { readonly secret: Uint8Array }[],
): FeedPositions {
  const keys = tokenKeys.map(({ secret }) => positionKey(secret));
  const [sealing] = keys;
  if (sealing === undefined) throw new Error('positions in the event feed need a key');
  return {
    seal(position, accountId) {
      const nonce = randomBytes(nonceBytes);
      const plain = Buffer.alloc(positionBytes);
      plain.writeBigUInt64BE(BigInt(position));
      const sealer = createCipheriv(cipher, sealing, nonce).setAAD(Buffer.from(accountId));
      const sealed = Buffer.concat([sealer.update(plain), sealer.final()]);
      return Buffer.concat([nonce, sealed, sealer.getAuthTag()]).toString('base64url');
    },
    open(sealed, accountId) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length !== nonceBytes + positionBytes + tagBytes) return undefined;
      return keys
        .map((key) => openWith(key, bytes, accountId))
        .find((position) => position !== undefined);
    },
  };
}

function openWith(key: Uint8Array, bytes: Buffer, accountId: string): number | undefined {
  const opener = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(accountId))
    .setAuthTag(bytes.subarray(-tagBytes));
  try {
    const plain = opener.update(bytes.subarray(nonceBytes, -tagBytes));
    opener.final();
    return Number(plain.readBigUInt64BE());
  } catch {
    return undefined; // Sealed for somebody else, or made up.
  }
}
