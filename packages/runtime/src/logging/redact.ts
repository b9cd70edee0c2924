const secretInQuery =
  /([?&](?:[\w.-]*[-_.])?(?:token|sig|signature|key|secret|credential|password)=)[^&\s"']+/gi;
const passwordInUrl = /(\b[a-z]+:\/\/[^\s:/@]*:)[^\s@/]+@/gi;
const apiKey = /sk-gw-[A-Za-z0-9_-]+/g;
const callbackSecret = /whsec_[A-Za-z0-9+/=]+/g;
const bearer = /(bearer\s+)[^\s"',]+/gi;
/** Of a request to S3: in its header, or in an error that repeats it. */
const signedHeader = /(\b(?:Credential|Signature)=)[^\s,&"']+/g;
const dataUrl = /data:([a-z]+\/[a-z0-9.+-]+);base64,[A-Za-z0-9+/=]+/gi;

/** What lies deeper is not searched, and so not shown. */
const maxDepth = 4;

/** What each of them needs. Most texts have none of it, and one look is a tenth of seven. */
const suspicious = /[?&]|:\/\/|sk-gw-|whsec_|bearer|credential=|signature=|data:/i;

function redactText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(secretInQuery, '$1[redacted]')
    .replace(passwordInUrl, '$1[redacted]@')
    .replace(apiKey, 'sk-gw-[redacted]')
    .replace(callbackSecret, 'whsec_[redacted]')
    .replace(bearer, '$1[redacted]')
    .replace(signedHeader, '$1[redacted]')
    .replace(dataUrl, 'data:$1;base64,[redacted]');
}

/**
 * The same value without tokens, keys, signatures and data-URL bytes, at any depth a log line has.
 * An error becomes its fields.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth > maxDepth) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  const source = 'stack' in value && 'message' in value ? errorFields(value as Error) : value;
  return Object.fromEntries(
    Object.entries(source).map(([key, item]) => [key, redact(item, depth + 1)]),
  );
}

function errorFields(error: Error): Record<string, unknown> {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack,
    ...(cause !== undefined && { cause }),
    ...(Array.isArray(errors) && { errors }),
  };
}
