import { createHash } from 'node:crypto';
import { type Fields, wordsOf } from '../json.ts';
import type { CompletionIdentity } from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';
import { thoughtSignatureOf } from './read-words.ts';
import { hexOf } from './write-tools.ts';

/**
 * Between a call's id and the vendor's opaque signature of the call, which rides in the id because
 * every client returns ids.
 */
const signatureMark = '_ts_';

/**
 * An id that a client of the messages dialect takes: letters, digits, `_` and `-`. The same id
 * always gives the same.
 */
function clientToolId(id: string, signature: string | undefined): string {
  const safe = /^[a-zA-Z0-9_-]+$/.test(id)
    ? id
    : `${id.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}_${hexOf(id, 6)}`;
  return signature === undefined
    ? safe
    : `${safe}${signatureMark}${Buffer.from(signature).toString('base64url')}`;
}

/** The upstream's id where it gave one of its own, else a new one. */
export function newToolId(
  call: Fields,
  { taken, identity }: { taken: Set<string>; identity: CompletionIdentity },
): string {
  const given = wordsOf(call['id']);
  const preferred = clientToolId(
    given ?? `toolu_${identity.newSuffix()}`,
    thoughtSignatureOf(call),
  );
  const id = taken.has(preferred) ? `toolu_${identity.newSuffix()}` : preferred;
  taken.add(id);
  return id;
}

/** The vendor's signature that `clientToolId` put into an id, and the id without it. */
export function splitToolId(id: string): { readonly id: string; readonly signature?: string } {
  // Forwards, which is a tenth of the work, for the ids of all other vendors.
  if (!id.includes(signatureMark)) return { id };
  const mark = id.lastIndexOf(signatureMark);
  if (mark <= 0) return { id };
  return {
    id: id.slice(0, mark),
    signature: Buffer.from(id.slice(mark + signatureMark.length), 'base64url').toString(),
  };
}

export interface ToolIds {
  /** For a call: a new name where the vendor counts its calls. */
  ofCall(id: string, name: string): string;
  ofResult(id: string): string;
}

/** Ids as one upstream takes them; a call and its result always get the same. */
export function createToolIds(rule: ChatQuirks['toolIdRule']): ToolIds {
  const counted = new Map<string, string>();
  let calls = 0;
  const ofResult = (id: string): string => counted.get(id) ?? plainRules[rule](splitToolId(id).id);
  return {
    ofResult,
    ofCall(id, name) {
      if (rule !== 'functions_index') return ofResult(id);
      const numbered = `functions.${name}:${calls++}`;
      counted.set(id, numbered);
      return numbered;
    },
  };
}

const plainRules: Readonly<Record<ChatQuirks['toolIdRule'], (id: string) => string>> = {
  any: (id) => id,
  functions_index: (id) => id,
  max_40: (id) => (id.length <= 40 ? id : `${id.slice(0, 31)}_${hexOf(id, 8)}`),
  alphanumeric_9: (id) => (/^[a-zA-Z0-9]{9}$/.test(id) ? id : nineOf(id)),
};

/**
 * Nine letters and digits of a hash: 36^9 of them, so that two ids of one conversation do not meet.
 */
const nineOf = (id: string): string =>
  createHash('sha256')
    .update(id)
    .digest()
    .readBigUInt64BE()
    .toString(36)
    .padStart(13, '0')
    .slice(-9);
