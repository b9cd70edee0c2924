import { nameOf, passThrough, translated, type Target } from './bench.ts';
import { smallRequest } from './requests.ts';
import { endOf, modelOf, paceOf } from './scripts.ts';
import type { Route, Script } from './protocol.ts';

/**
 * Whether a target carries all that is measured, each chunk of it. Undefined when it does, else in
 * words what it does not.
 */
export async function whyNotUsable(
  { name, url }: Target,
  apiKey: string,
): Promise<string | undefined> {
  const routes = Object.values(passThrough).concat(
    name === 'gateway' ? Object.values(translated) : [],
  );
  for (const route of routes) {
    for (const script of ['whole', '100'] as const) {
      const problem = await whatIsWrong(url, { route, script, apiKey });
      if (problem !== undefined) {
        return `${nameOf(route)}, ${modelOf(route.upstream, script)}: ${problem}`;
      }
    }
  }
  return undefined;
}

async function whatIsWrong(
  url: string,
  { route, script, apiKey }: { route: Route; script: Script; apiKey: string },
): Promise<string | undefined> {
  const { path, headers, body } = smallRequest({ route, script, apiKey });
  const pairs = headers.flatMap((header, index) =>
    index % 2 === 0 ? [[header, headers[index + 1] ?? ''] as [string, string]] : [],
  );
  const response = await fetch(url + path, {
    method: 'POST',
    headers: pairs,
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (response.status !== 200) return `status ${response.status} ${text.slice(0, 300)}`;
  const pace = paceOf[script];
  if (pace === undefined) {
    return text.includes('lorem ipsum')
      ? undefined
      : `a response without its text: ${text.slice(0, 300)}`;
  }
  const words = new Set(text.match(/word\d+/g));
  if (words.size !== pace.chunks) return `a stream with ${words.size} of ${pace.chunks} words`;
  return text.includes(endOf[route.client])
    ? undefined
    : `a stream without its end: ${text.slice(-300)}`;
}
