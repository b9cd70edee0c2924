import { listOf, type List, type ListOptions } from './pages.ts';
import type { Transport } from './transport.ts';
import type {
  CallbackTest,
  CallOptions,
  DeletedEndpoint,
  Endpoint,
  EndpointPatch,
  EndpointRequest,
} from './types.ts';

/** Addresses to which the statuses of all videos of the account are pushed: `client.endpoints`. */
export class Endpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Adds an address and waits for its challenge: then it is `active`, or `failed`. */
  create(request: EndpointRequest, { signal }: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json<Endpoint>({
      method: 'POST',
      path: '/v1/webhook-endpoints',
      json: request,
      repeatable: 'if refused',
      signal,
    });
  }

  /** All of them, newest first. */
  list(options: ListOptions = {}): List<Endpoint> {
    return listOf<Endpoint>(this.#transport, { path: '/v1/webhook-endpoints' }, options);
  }

  get(id: string, { signal }: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json<Endpoint>({ path: pathOf(id), signal });
  }

  /** What the patch leaves out stays. */
  change(id: string, patch: EndpointPatch, { signal }: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json<Endpoint>({
      method: 'PATCH',
      path: pathOf(id),
      json: patch,
      signal,
    });
  }

  delete(id: string, { signal }: CallOptions = {}): Promise<DeletedEndpoint> {
    return this.#transport.json<DeletedEndpoint>({
      method: 'DELETE',
      path: pathOf(id),
      signal,
    });
  }

  /** Sends the challenge once more to one that has not answered it right. */
  verify(id: string, { signal }: CallOptions = {}): Promise<Endpoint> {
    return this.#transport.json<Endpoint>({
      method: 'POST',
      path: `${pathOf(id)}/verify`,
      repeatable: 'if refused',
      signal,
    });
  }

  /** Sends a challenge and a test event there, and says what came back. Never repeated. */
  test(id: string, { signal }: CallOptions = {}): Promise<CallbackTest> {
    return this.#transport.json<CallbackTest>({
      method: 'POST',
      path: `${pathOf(id)}/test`,
      repeatable: 'if refused',
      signal,
    });
  }
}

const pathOf = (id: string): string => `/v1/webhook-endpoints/${encodeURIComponent(id)}`;
