/**
 * Whether a response echoes the challenge: the whole body is the value, a JSON string of it, a JSON
 * object whose own `challenge` is it, or a form whose `challenge` is it. Decided by parsing and
 * then comparing, never by searching: a server that reflects requests would pass a search without
 * having consented to anything. For the same reason a response that carries our own `type` beside
 * the challenge is refused: that is the request sent back, not read.
 */
export function echoesChallenge(body: string, challenge: string): boolean {
  const text = body.replace(/\r?\n$/, '');
  return text === challenge || echoInJson(text, challenge) || echoInForm(text, challenge);
}

/** The `type` of a verification request; a response has no business with it. */
const verificationType = 'url_verification';

function echoInJson(text: string, challenge: string): boolean {
  const value = parseJson(text);
  if (value === challenge) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'challenge')) {
    return false;
  }
  const echo = value as { readonly challenge: unknown; readonly type?: unknown };
  return echo.challenge === challenge && echo.type !== verificationType;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: one of the other encodings may fit
  }
}

function echoInForm(text: string, challenge: string): boolean {
  if (!/^[\w.%+-]+=[^<>{}]*$/.test(text)) return false;
  const form = new URLSearchParams(text);
  const values = form.getAll('challenge');
  return (
    values.length === 1 &&
    values[0] === challenge &&
    !form.getAll('type').includes(verificationType)
  );
}
