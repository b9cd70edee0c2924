import { listOf, type List, type ListOptions } from './pages.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, CurrentSession, EndedSession, Session } from './types.ts';

/** For pages of the gateway itself: the browser signs in, and no page keeps the key. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Signs the browser in: from then on a client without a key is this one. */
  open(apiKey: string, { signal }: CallOptions = {}): Promise<CurrentSession> {
    return this.#transport.json<CurrentSession>({
      method: 'POST',
      path: '/v1/session',
      headers: { authorization: `Bearer ${apiKey}`, 'x-gateway-console': '1' },
      repeatable: 'if refused',
      signal,
    });
  }

  /** The session of this browser, and what its key may do. */
  current({ signal }: CallOptions = {}): Promise<CurrentSession> {
    return this.#transport.json<CurrentSession>({ path: '/v1/session', signal });
  }

  /** Signs the browser out. */
  close({ signal }: CallOptions = {}): Promise<EndedSession> {
    return this.#transport.json<EndedSession>({ method: 'DELETE', path: '/v1/session', signal });
  }

  /** The sessions of the key, newest first. */
  list(options: ListOptions = {}): List<Session> {
    return listOf<Session>(this.#transport, { path: '/v1/sessions' }, options);
  }

  /** Ends one of them. */
  end(id: string, { signal }: CallOptions = {}): Promise<EndedSession> {
    return this.#transport.json<EndedSession>({
      method: 'DELETE',
      path: `/v1/sessions/${encodeURIComponent(id)}`,
      whenGone: { id, object: 'session.deleted', deleted: true },
      signal,
    });
  }
}
