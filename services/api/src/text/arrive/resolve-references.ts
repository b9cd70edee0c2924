import { GatewayError } from '@gateway/domain';
import type { References, Referred } from '@gateway/text-dialects';
import { RequestBody, type Preparation } from '../../bodies/index.ts';
import type { StoredResponses } from '../request/index.ts';

export interface ReferencePorts {
  readonly stored: StoredResponses;
  readonly preparation: Pick<Preparation, 'expand'>;
}

/** A request that builds on what the gateway keeps. */
export interface Building {
  readonly accountId: string;
  readonly body: RequestBody;
  readonly references: References;
  readonly limitBytes: number;
}

/** The request with all that it refers to, and what that is. */
export interface Resolved {
  readonly body: RequestBody;
  readonly items: Referred['items'];
}

/**
 * Finds what a request refers to and puts it into its `input`, as if the client had sent it. Rejects
 * with previous_response_not_found, item_not_found, and payload_too_large when it outgrows the route.
 */
export async function resolveReferences(
  ports: ReferencePorts,
  building: Building,
): Promise<Resolved> {
  const { accountId, body, limitBytes } = building;
  const [conversation, items] = await Promise.all([
    conversationOf(ports, building),
    itemsOf(ports, building),
  ]);
  const bytes = await ports.preparation.expand(body, { kind: 'expand', conversation, items });
  if (bytes.length > limitBytes) throw tooLarge(bytes.length, limitBytes);
  return { body: new RequestBody(bytes, accountId), items };
}

async function conversationOf(
  { stored }: ReferencePorts,
  { accountId, references: { previousResponseId: responseId } }: Building,
): Promise<Referred['conversation']> {
  if (responseId === undefined) return [];
  const found = isOdd(responseId) ? null : await stored.conversation({ accountId, responseId });
  if (found === null) throw responseNotFound(responseId, stored.isOn);
  return found;
}

async function itemsOf(
  { stored }: ReferencePorts,
  { accountId, references: { itemIds } }: Building,
): Promise<Referred['items']> {
  const odd = itemIds.find(isOdd);
  if (odd !== undefined) throw itemNotFound(odd, stored.isOn);
  const found: Referred['items'] =
    itemIds.length === 0 ? new Map() : await stored.items({ accountId, itemIds });
  const missing = itemIds.find((id) => !found.has(id));
  if (missing !== undefined) throw itemNotFound(missing, stored.isOn);
  return found;
}

/** No id of ours is so long: the store need not be asked. */
const longestId = 128;
const isOdd = (id: string): boolean => id.length > longestId;

/** Clients recover from the vendor's own words; a person reads on. */
const remedyOf = (isOn: boolean): string =>
  isOn ? '' : ' This gateway keeps no responses: send the whole conversation as input.';

const responseNotFound = (id: string, isOn: boolean): GatewayError =>
  new GatewayError(
    'previous_response_not_found',
    `Previous response with id '${id.slice(0, longestId)}' not found.${remedyOf(isOn)}`,
    { param: 'previous_response_id' },
  );

const itemNotFound = (id: string, isOn: boolean): GatewayError =>
  new GatewayError(
    'item_not_found',
    `Item with id '${id.slice(0, longestId)}' not found.${remedyOf(isOn)}`,
    { param: 'input' },
  );

const tooLarge = (sizeBytes: number, limitBytes: number): GatewayError =>
  new GatewayError(
    'payload_too_large',
    `the request has ${sizeBytes} bytes with the conversation that it builds on; this route takes ${limitBytes}. Send a shorter conversation as input, without previous_response_id`,
    { param: 'input' },
  );
