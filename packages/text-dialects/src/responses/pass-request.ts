import { type Fields, isFields } from '../json.ts';
import { fieldsToDrop } from '../request-fields.ts';
import { readList, readText } from '../values.ts';
import { applyEdits, type Edit, readTopLevel } from '../wire/body-spans.ts';
import type { PassedResponse } from './passing-response.ts';
import type { ResponsesQuirks } from './quirks.ts';
import { responsesFields } from './request-fields.ts';
import { reasoningForUpstream, sealedThoughts } from './sealed-thoughts.ts';

/** A request on its way to an upstream of its own format. */
export interface PassingRequest {
  readonly bytes: Buffer;
  /** The same, parsed. */
  readonly body: Fields;
  /** The upstream's name of the model. */
  readonly model: string;
  readonly quirks: ResponsesQuirks;
  /** The vendor may keep responses, as the client asks. */
  readonly storesResponses: boolean;
  /** The gateway has put what the request refers to into its `input`. */
  readonly isExpanded: boolean;
  /** The gateway keeps responses at all. */
  readonly keepsResponses: boolean;
}

/** How the gateway's packing of thoughts begins in a body. */
const packedMark = Buffer.from('"gw1r.');

/**
 * The request as its upstream gets it: under the upstream's name of the model, kept by the gateway and
 * not by the vendor, whose account all customers share, and with all other bytes as they came. Throws
 * `unsupported_parameter` for what nobody can be given here.
 */
export function passResponsesRequest(passing: PassingRequest): {
  readonly body: Buffer;
  readonly response: PassedResponse;
} {
  const { bytes, body, model } = passing;
  const { background, conversation, previous_response_id: previous } = body;
  fieldsToDrop({ background, conversation }, responsesFields);
  const buildsOn = (previous ?? null) !== null;
  const kept = keptHere(passing);
  return {
    body: withFields(bytes, {
      ...(body['model'] !== model && { model }),
      ...kept.fields,
      ...(buildsOn && { previous_response_id: null }),
      ...inputFor(passing),
    }),
    response: {
      hidesThoughts: kept.hidesThoughts,
      settings: { ...kept.settings, ...(buildsOn && { previous_response_id: previous }) },
    },
  };
}

/** What the vendor is told, and the client sees, of a response that the gateway keeps in its stead. */
function keptHere({ body, quirks, storesResponses, keepsResponses }: PassingRequest): {
  readonly fields: Fields;
  readonly settings: Fields;
  readonly hidesThoughts: boolean;
} {
  if (storesResponses || body['store'] === false) {
    return { fields: {}, settings: {}, hidesThoughts: false };
  }
  if (!keepsResponses) {
    return { fields: { store: false }, settings: { store: false }, hidesThoughts: false };
  }
  const include = readList(body['include']) ?? [];
  const hidesThoughts = quirks.encryptedReasoning && !include.includes(sealedThoughts);
  return {
    fields: { store: false, ...(hidesThoughts && { include: [...include, sealedThoughts] }) },
    settings: { store: true },
    hidesThoughts,
  };
}

/** The bytes with these top-level fields; the same Buffer when there are none. */
function withFields(bytes: Buffer, fields: Fields): Buffer {
  const names = Object.keys(fields);
  if (names.length === 0) return bytes;
  const { inside, spans } = readTopLevel(bytes, names);
  return applyEdits(
    bytes,
    names.flatMap((name): Edit[] => {
      const text = JSON.stringify(fields[name]);
      const found = spans.filter(({ key }) => key === name);
      return found.length === 0
        ? [{ start: inside, end: inside, text: `${JSON.stringify(name)}:${text},` }]
        : found.map(({ start, end }) => ({ start, end, text }));
    }),
  );
}

/** The input, where something in it is not for this upstream. */
function inputFor({ bytes, body, quirks, storesResponses, isExpanded }: PassingRequest): Fields {
  if (!isExpanded && !bytes.includes(packedMark)) return {};
  const input = readList(body['input']);
  if (input === undefined) return {};
  const needsSeal = isExpanded && quirks.encryptedReasoning && !storesResponses;
  return {
    input: input.flatMap((item) => {
      if (!isFields(item)) return [item];
      if (item['type'] !== 'reasoning') return [isExpanded ? withoutOwnId(item) : item];
      const thoughts = reasoningForUpstream(item);
      // The vendor would look for them among what it has kept.
      return thoughts === undefined || (needsSeal && !isSealed(thoughts)) ? [] : [thoughts];
    }),
  };
}

const isSealed = (item: Fields): boolean => readText(item['encrypted_content']) !== undefined;

/** Ids that the gateway has given to a client's items say nothing to the vendor. */
function withoutOwnId(item: Fields): Fields {
  const { id: _own, ...rest } = item;
  const isClients =
    /_call_output$/.test(String(item['type'])) ||
    ((item['type'] ?? 'message') === 'message' && item['role'] !== 'assistant');
  return isClients ? rest : item;
}
