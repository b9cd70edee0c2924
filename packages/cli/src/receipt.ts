import { createPublicKey, verify } from 'node:crypto';

/** A public key that receipts are checked with. */
export interface ReceiptKey {
  readonly kid: string;
  readonly x: string;
}

/** What a receipt states, as far as it is shown. */
export interface Statement {
  readonly issuer: string;
  readonly video: string;
  readonly model: string;
  readonly files: readonly { readonly kind: string; readonly sha256: string }[];
  readonly duration: number;
  readonly resolution: string;
  readonly completed_at: string;
  readonly billed_quota: number;
}

export type Verdict =
  | { readonly valid: true; readonly statement: Statement; readonly kind: string }
  | { readonly valid: false; readonly reason: string };

const no = (reason: string): Verdict => ({ valid: false, reason });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const decoded = (part: string): Readonly<Record<string, unknown>> | undefined =>
  parsed(Buffer.from(part, 'base64url').toString('utf8'));

/** The keys of a file or response: a JWK set. Undefined when it is none. */
export function keysIn(text: string): ReceiptKey[] | undefined {
  const keys = parsed(text)?.['keys'];
  if (!Array.isArray(keys)) return undefined;
  return keys
    .filter(isObject)
    .filter(({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519')
    .flatMap(({ kid, x }) =>
      typeof kid === 'string' && typeof x === 'string' ? [{ kid, x }] : [],
    );
}

/** The origin of the gateway that a receipt says it is of, which nothing has checked yet. */
export function issuerIn(text: string): string | undefined {
  const { payload } = parsed(text) ?? {};
  const issuer = typeof payload === 'string' ? decoded(payload)?.['issuer'] : undefined;
  return typeof issuer === 'string' ? originOf(issuer) : undefined;
}

/** Of an address of HTTP. */
export const originOf = (address: string): string | undefined =>
  /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : undefined;

/**
 * Whether this is the receipt of a file with this hash, signed by one of these keys. Only what was
 * signed counts: what stands beside it for reading must say the same.
 */
export function judgeReceipt(
  text: string,
  { keys, sha256 }: { readonly keys: readonly ReceiptKey[]; readonly sha256: string },
): Verdict {
  const receipt = parsed(text);
  const signed = receipt && signedIn(receipt);
  if (signed === undefined) return no('this is no receipt');
  const kid = keyNameIn(signed);
  if (kid === undefined) return no('its signature is of another kind');
  const named = keys.filter((key) => key.kid === kid);
  if (named.length === 0) return no(`its key ${JSON.stringify(kid)} is not among the known ones`);
  if (!named.some((key) => isSignedBy(key, signed))) return no('its signature is wrong');
  const stated = decoded(signed.payload);
  if (stated === undefined || !isStatement(stated)) return no('what it states cannot be read');
  return judgeStatement(stated, { shown: receipt?.['statement'], sha256 });
}

function judgeStatement(
  stated: Statement,
  { shown, sha256 }: { readonly shown: unknown; readonly sha256: string },
): Verdict {
  if (shown !== undefined && JSON.stringify(shown) !== JSON.stringify(stated)) {
    return no('what it shows is not what was signed');
  }
  const file = stated.files.find((each) => each.sha256 === sha256);
  if (file === undefined) {
    return no(`the file is not the one of ${stated.video}: its hash is another`);
  }
  return { valid: true, statement: stated, kind: file.kind };
}

interface Signed {
  readonly head: string;
  readonly payload: string;
  readonly signature: string;
}

function signedIn(receipt: Readonly<Record<string, unknown>>): Signed | undefined {
  const { protected: head, payload, signature } = receipt;
  return typeof head === 'string' && typeof payload === 'string' && typeof signature === 'string'
    ? { head, payload, signature }
    : undefined;
}

/** Of a signature by Ed25519; undefined for every other. */
function keyNameIn({ head }: Signed): string | undefined {
  const { alg, kid } = decoded(head) ?? {};
  return alg === 'EdDSA' && typeof kid === 'string' ? kid : undefined;
}

function isSignedBy({ x }: ReceiptKey, { head, payload, signature }: Signed): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(
      null,
      Buffer.from(`${head}.${payload}`),
      key,
      Buffer.from(signature, 'base64url'),
    );
  } catch {
    // A key that is none has signed nothing.
    return false;
  }
}

const isStatement = (
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & Statement =>
  value['version'] === 1 &&
  typeof value['video'] === 'string' &&
  Array.isArray(value['files']) &&
  value['files'].every((file) => isObject(file) && typeof file['sha256'] === 'string');
