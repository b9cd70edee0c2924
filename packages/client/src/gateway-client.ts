import { Billing, Models } from './account.ts';
import { Assets } from './assets.ts';
import { followedEvents, type Followed, type FollowOptions } from './followed-events.ts';
import { Callbacks } from './callbacks.ts';
import { Endpoints } from './endpoints.ts';
import type { List, ListOptions } from './pages.ts';
import { Keys } from './keys.ts';
import { Sessions } from './sessions.ts';
import { Texts } from './text.ts';
import { Transport, type ClientOptions } from './transport.ts';
import type {
  AccountEvent,
  Balance,
  CallOptions,
  LedgerEntry,
  Usage,
  UsageFilter,
} from './types.ts';
import { Videos } from './videos.ts';
import { verifyCallback } from './callback-signature.ts';

/** What has happened to a video of the account. */
export type FollowedEvent = Followed<AccountEvent>;

/** A customer of the gateway, with one API key or in a browser that signed in. */
export class GatewayClient {
  readonly videos: Videos;
  readonly assets: Assets;
  readonly models: Models;
  readonly text: Texts;
  readonly callbacks: Callbacks;
  readonly endpoints: Endpoints;
  readonly keys: Keys;
  readonly sessions: Sessions;
  /** Needs no key. */
  readonly webhooks = { verify: verifyCallback }; // The word of Standard Webhooks.
  readonly #billing: Billing;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.videos = new Videos(transport);
    this.assets = new Assets(transport);
    this.models = new Models(transport);
    this.text = new Texts(transport);
    this.callbacks = new Callbacks(transport);
    this.endpoints = new Endpoints(transport);
    this.keys = new Keys(transport);
    this.sessions = new Sessions(transport);
    this.#transport = transport;
    this.#billing = new Billing(transport);
  }

  /** The quota of the account: in all, held for unfinished work, and available. */
  balance(options: CallOptions = {}): Promise<Balance> {
    return this.#billing.balance(options);
  }

  /** Requests, tokens, seconds and quota by day or hour, model and key. */
  usage(filter: UsageFilter = {}, options: CallOptions = {}): Promise<Usage> {
    return this.#billing.usage(filter, options);
  }

  /** The same as CSV, for a spreadsheet. */
  usageCsv(filter: UsageFilter = {}, options: CallOptions = {}): Promise<string> {
    return this.#billing.usageCsv(filter, options);
  }

  /** What happens to all videos of the account, until the signal ends it. */
  events(options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void> {
    return followedEvents<AccountEvent>(
      this.#transport,
      { path: '/v1/events', idIn: ({ video }) => video.id },
      options,
    );
  }

  /** Every movement of quota, newest first. */
  ledger(options: ListOptions = {}): List<LedgerEntry> {
    return this.#billing.ledger(options);
  }
}
