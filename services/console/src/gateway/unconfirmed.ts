import { ApiError, newIdempotencyKey, type Video, type VideoRequest } from '@gateway/client';
import { gateway } from './client.ts';
import { resumedForMs } from './runs.ts';
import { createStore } from './store.ts';

/** A creation of which this browser does not know yet what came of it. */
export interface Unconfirmed {
  readonly key: string;
  readonly accountId: string;
  readonly at: number;
  readonly request: VideoRequest;
  /** Why the gateway made nothing of it; such an entry lives as long as the page. */
  readonly refusal?: Error;
}

/** An item of its own for each creation: tabs share the storage, and none writes what is another's. */
const itemPrefix = 'gateway.unconfirmed.';
const underWay = new Set<string>();
const refused = new Map<string, Unconfirmed>();

/**
 * Creations whose response has not arrived, of all tabs. They are in the browser's storage before the
 * first byte is sent, so a page that is closed at any moment can ask again under the same key, which
 * makes no second video.
 */
export const unconfirmed = createStore<readonly Unconfirmed[]>(readStored());

window.addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(itemPrefix)) show();
});

/** Creates a video for each request; resolves when the last one has its outcome. */
export async function createVideos(
  requests: readonly VideoRequest[],
  { accountId, onCreated }: { accountId: string; onCreated: (video: Video) => void },
): Promise<void> {
  const entries = requests.map((request) => ({
    key: newIdempotencyKey(),
    accountId,
    at: Date.now(),
    request,
  }));
  for (const entry of entries) {
    localStorage.setItem(itemPrefix + entry.key, JSON.stringify(entry));
  }
  show();
  await Promise.all(entries.map((entry) => confirm(entry, onCreated)));
}

/** Asks again for what an earlier page, or a broken connection, left open. */
export async function resumeCreations(
  accountId: string,
  onCreated: (video: Video) => void,
): Promise<void> {
  const now = Date.now();
  const stored = readStored();
  // Older ones are not sent again by themselves: whoever clicked has gone on since.
  const isOld = ({ at }: Unconfirmed): boolean => now - at >= resumedForMs;
  for (const { key } of stored.filter(isOld)) forget(key);
  const open = stored.filter((entry) => entry.accountId === accountId && !isOld(entry));
  await Promise.all(open.map((entry) => confirm(entry, onCreated)));
}

async function confirm(entry: Unconfirmed, onCreated: (video: Video) => void): Promise<void> {
  if (underWay.has(entry.key)) return;
  underWay.add(entry.key);
  try {
    onCreated(await gateway.videos.create(entry.request, { idempotencyKey: entry.key }));
    forget(entry.key);
  } catch (error) {
    // Without a response, or with one that says "later", it is asked for again.
    if (error instanceof ApiError && isFinal(error)) refuse(entry, error);
  } finally {
    underWay.delete(entry.key);
  }
}

/** 409 is the same creation, under way from another page. */
const isFinal = ({ status }: ApiError): boolean =>
  status >= 400 && status < 500 && ![401, 408, 409, 429].includes(status);

/** Takes a creation from the list, with whatever the gateway said of it. */
export function forget(key: string): void {
  localStorage.removeItem(itemPrefix + key);
  refused.delete(key);
  show();
}

function refuse(entry: Unconfirmed, refusal: Error): void {
  refused.set(entry.key, { ...entry, refusal });
  localStorage.removeItem(itemPrefix + entry.key);
  show();
}

function show(): void {
  unconfirmed.set([...readStored(), ...refused.values()]);
}

function readStored(): readonly Unconfirmed[] {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(itemPrefix))
    .flatMap((name) => entryOf(localStorage.getItem(name)))
    .toSorted((one, other) => one.at - other.at);
}

/** What somebody else has written under such a name is none of ours. */
function entryOf(text: string | null): readonly Unconfirmed[] {
  try {
    const entry = JSON.parse(text ?? '') as Partial<Unconfirmed> | null;
    const isWhole =
      typeof entry?.key === 'string' && typeof entry.at === 'number' && 'request' in entry;
    return isWhole ? [entry as Unconfirmed] : [];
  } catch {
    return [];
  }
}
