import { fetchUnlessAsked } from './early.ts';
import { createStore } from './store.ts';

/** Whether the gateway could be reached when it was last asked. */
export const connection = createStore<'up' | 'down'>('up');

/** How many calls were refused because nobody is signed in. */
export const unauthorized = createStore(0);

/** How far the gateway's clock is ahead of this machine's. */
let aheadMs = 0;

/** The time at the gateway, as far as its responses have told. */
export const gatewayTime = (): number => Date.now() + aheadMs;

const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** The `fetch` of the client, which also notes what every response says of the gateway. */
export const watchedFetch: typeof globalThis.fetch = async (input, init) => {
  try {
    const response = await fetchUnlessAsked(input, init);
    note(response);
    return response;
  } catch (error) {
    const ours = init?.signal?.aborted === true || isAborted(error);
    if (!ours) connection.set('down');
    throw error;
  }
};

function note({ status, headers, url }: Response): void {
  connection.set('up');
  const date = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(date)) aheadMs = date - Date.now();
  // That of a session itself is the answer to the question whether there is one.
  const asksForSession = /^(?:\/admin)?\/v1\/session$/.test(new URL(url).pathname);
  if (status === 401 && !asksForSession) unauthorized.set(unauthorized.get() + 1);
}
