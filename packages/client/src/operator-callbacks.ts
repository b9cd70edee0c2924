import type * as Types from './operator-types.ts';
import { listOf, type List, type ListOptions } from './pages.ts';
import type { Transport } from './transport.ts';
import type { CallbackRedelivery, CallOptions } from './types.ts';

const path = '/admin/v1/callbacks';

/** The callbacks of all accounts: `operator.callbacks`. */
export class OperatorCallbacks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Where they stand, newest video first. */
  list(
    filter: Types.OperatorCallbackFilter = {},
    options: ListOptions = {},
  ): List<Types.OperatorCallback> {
    return listOf(this.#transport, { path, query: filter }, options);
  }

  /** Pushes the newest status of the next videos in a state once more; go on behind `last_id`. */
  redeliverMany(
    request: Types.OperatorRedeliveryRequest,
    { signal }: CallOptions = {},
  ): Promise<CallbackRedelivery> {
    return this.#transport.json<CallbackRedelivery>({
      method: 'POST',
      path: `${path}/redeliver`,
      json: request,
      signal,
    });
  }
}
