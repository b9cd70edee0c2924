/**
 * Whether an answer echoes the challenge: the whole body is the value, a JSON string of it, a JSON object whose own
 * `challenge` is it, or a form whose `challenge` is it. Decided by parsing and then comparing, never by searching:
 * a server that reflects requests would pass a search without having consented to anything.
 */
export function echoesChallenge(body: string, challenge: string): boolean {
  const text = body.replace(/\r?\n$/, '');
  return text === challenge || echoInJson(text, challenge) || echoInForm(text, challenge);
}

function echoInJson(text: string, challenge: string): boolean {
  const value = parseJson(text);
  if (value === challenge) return true;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'challenge') && (value as { challenge: unknown }).challenge === challenge;
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
  const values = new URLSearchParams(text).getAll('challenge');
  return values.length === 1 && values[0] === challenge;
}
