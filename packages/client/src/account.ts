import { listOf, type List, type ListOptions } from './pages.ts';
import type { Transport } from './transport.ts';
import type { Balance, CallOptions, LedgerEntry, Model, Usage, UsageFilter } from './types.ts';

/** The models that the key may use: `client.models`. */
export class Models {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(name: string, { signal }: CallOptions = {}): Promise<Model> {
    return this.#transport.json<Model>({
      path: `/v1/models/${encodeURIComponent(name)}`,
      signal,
    });
  }

  list(options: ListOptions = {}): List<Model> {
    return listOf<Model>(this.#transport, { path: '/v1/models' }, options);
  }
}

/** Money: what `client.balance`, `client.usage`, `client.usageCsv` and `client.ledger` read. */
export class Billing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  balance({ signal }: CallOptions = {}): Promise<Balance> {
    return this.#transport.json<Balance>({ path: '/v1/billing/balance', signal });
  }

  /** Requests, tokens, seconds and quota by day or hour, model and key. */
  usage(filter: UsageFilter = {}, { signal }: CallOptions = {}): Promise<Usage> {
    return this.#transport.json<Usage>({ path: '/v1/usage', query: filter, signal });
  }

  async usageCsv(filter: UsageFilter = {}, { signal }: CallOptions = {}): Promise<string> {
    const response = await this.#transport.open({
      path: '/v1/usage',
      query: { ...filter, format: 'csv' },
      signal,
    });
    return response.text();
  }

  /** Every movement of quota, newest first. */
  ledger(options: ListOptions = {}): List<LedgerEntry> {
    return listOf<LedgerEntry>(this.#transport, { path: '/v1/billing/ledger' }, options);
  }
}
