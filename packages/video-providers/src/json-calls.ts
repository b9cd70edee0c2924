import {
  createVendorClient,
  type SendOutcome,
  type VendorClientOptions,
  type VendorResponse,
} from './http.ts';
import type { PollOutcome, ProviderConnection, SubmitOutcome } from './port.ts';
import { sendCreation } from './submit.ts';

/** The calls of a vendor that takes JSON and a key in its headers; nothing is ever repeated. */
export interface JsonCalls {
  /** The one call that creates a task: a fresh connection, and `unknown` when its response is lost. */
  create(
    call: {
      readonly path: string;
      readonly body: object;
      readonly headers?: Readonly<Record<string, string>>;
    },
    read: (response: VendorResponse) => SubmitOutcome,
    signal: AbortSignal,
  ): Promise<SubmitOutcome>;
  /** A question that may be asked again. A lost response says nothing about the task. */
  ask<Outcome>(
    path: string,
    read: (response: VendorResponse) => Outcome,
    signal: AbortSignal,
  ): Promise<Outcome | Extract<PollOutcome, { kind: 'error' }>>;
  /** Any other call that may be repeated. */
  send(
    call: { readonly method: 'DELETE' | 'PUT' | 'POST'; readonly path: string },
    signal: AbortSignal,
  ): Promise<SendOutcome>;
}

/** Calls below one base URL, with the same headers on each. */
export function createJsonCalls(
  { baseUrl, apiKey, timeoutMs, openClient = createVendorClient }: ProviderConnection,
  headers: Readonly<Record<string, string>>,
  limits: Pick<VendorClientOptions, 'maxResponseBytes'> = {},
): JsonCalls {
  const client = openClient({ timeoutMs, secret: apiKey, ...limits });
  const root = baseUrl.replace(/\/+$/, '');
  return {
    create: ({ path, body, headers: others }, read, signal) =>
      sendCreation(
        client,
        { url: `${root}${path}`, headers: { ...headers, ...others }, body },
        { read, signal },
      ),
    async ask(path, read, signal) {
      const sent = await client.sendOnce(
        { method: 'GET', url: `${root}${path}`, headers, connection: 'kept' },
        signal,
      );
      return sent.kind === 'responded' ? read(sent) : { kind: 'error', detail: sent.detail };
    },
    send: ({ method, path }, signal) =>
      client.sendOnce({ method, url: `${root}${path}`, headers, connection: 'kept' }, signal),
  };
}
