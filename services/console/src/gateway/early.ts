interface Asked {
  /** Undefined: there is none, and whoever wants one asks for it. */
  readonly response: Promise<Response | undefined>;
  readonly stop: AbortController;
}

/** What was asked for before the pages could, by address; each response serves one call. */
const asked = new Map<string, Asked>();

const operatorPages = /^\/console\/operator(?:\/|$)/;
const playground = /^\/console(?:\/|\/playground)?$/;

/** Asks for what the page at this path shows first: who is signed in, and in the playground the models. */
export function askEarly(path: string): void {
  if (operatorPages.test(path)) {
    ask('/admin/v1/session');
    return;
  }
  ask('/v1/session');
  if (playground.test(path)) ask('/v1/models?limit=100');
}

function ask(path: string): void {
  const address = window.location.origin + path;
  const headers = { 'x-gateway-console': '1' };
  const stop = new AbortController();
  const response = window.fetch(address, { headers, signal: stop.signal }).catch(() => undefined);
  asked.set(address, { response, stop });
}

/** Whoever signs in or out is not shown what another one asked for. */
export const forgetAsked = (): void => {
  asked.clear();
};

/** As the browser’s own, but that what was asked for already is not asked for again. */
export const fetchUnlessAsked: typeof globalThis.fetch = async (input, init) => {
  const address = typeof input === 'string' && (init?.method ?? 'GET') === 'GET' ? input : '';
  const early = asked.get(address);
  asked.delete(address);
  if (early !== undefined) stopTogether(early.stop, init?.signal);
  return (await early?.response) ?? window.fetch(input, init);
};

/** What nobody waits for any more is not read to its end. */
function stopTogether(stop: AbortController, signal: AbortSignal | null | undefined): void {
  const onAbort = (): void => {
    stop.abort(signal?.reason);
  };
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
}
