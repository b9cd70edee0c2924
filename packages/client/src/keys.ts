import { listOf, type List, type ListOptions } from './pages.ts';
import type { Transport } from './transport.ts';
import type { ApiKey, CallOptions, KeyRequest, NewApiKey } from './types.ts';

/** Keys of the account, for a key with the scope `keys:write`: `client.keys`. */
export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a key, which is in the response and nowhere else. */
  create(request: KeyRequest, { signal }: CallOptions = {}): Promise<NewApiKey> {
    return this.#transport.json<NewApiKey>({
      method: 'POST',
      path: '/v1/keys',
      json: request,
      repeatable: 'if refused',
      signal,
    });
  }

  /** Every key of the account, newest first; revoked ones too. */
  list(options: ListOptions = {}): List<ApiKey> {
    return listOf<ApiKey>(this.#transport, { path: '/v1/keys' }, options);
  }

  revoke(id: string, { signal }: CallOptions = {}): Promise<ApiKey> {
    return this.#transport.json<ApiKey>({
      method: 'DELETE',
      path: `/v1/keys/${encodeURIComponent(id)}`,
      signal,
    });
  }
}
