import { createHmac } from 'node:crypto';

const lifeSeconds = 1_800;
/** How far the vendor's clock may be behind ours. */
const earlierSeconds = 5;

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The two halves of a key of the form `access:secret`; undefined for a key that is sent as it is. */
export function splitKey(
  apiKey: string,
): { readonly access: string; readonly secret: string } | undefined {
  const [access, secret, ...rest] = apiKey.split(':');
  return access && secret && rest.length === 0 ? { access, secret } : undefined;
}

/** A JSON web token (HS256) that says who asks and for how long; made anew for each request. */
export function mintToken(
  { access, secret }: { readonly access: string; readonly secret: string },
  nowMs: number,
): string {
  const now = Math.floor(nowMs / 1_000);
  const claims = { iss: access, exp: now + lifeSeconds, nbf: now - earlierSeconds };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** What a request carries in place of such a key: a fresh token, or the key itself. */
export function bearerOf(apiKey: string): string {
  const halves = splitKey(apiKey);
  return halves === undefined ? apiKey : mintToken(halves, Date.now());
}
