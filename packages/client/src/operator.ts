import { followedEvents, type Followed, type FollowOptions } from './followed-events.ts';
import { OperatorCallbacks } from './operator-callbacks.ts';
import { listOf, type List, type ListOptions } from './pages.ts';
import { Transport, type Call, type ClientOptions } from './transport.ts';
import type * as Types from './operator-types.ts';
import type { CallOptions, EndedSession, Redelivery, Session } from './types.ts';

/** Of calls that add or take quota: what is sent again under the same key counts once. */
export interface OnceOptions extends CallOptions {
  readonly idempotencyKey: string;
}

/** An operator of the gateway, with the admin token or in a browser that signed in with it. */
export class OperatorClient {
  readonly sessions: OperatorSessions;
  readonly accounts: OperatorAccounts;
  readonly videos: OperatorVideos;
  readonly callbacks: OperatorCallbacks;
  readonly #transport: Transport;

  /** The token stands where a customer's key would. */
  constructor({
    adminToken,
    ...options
  }: Omit<ClientOptions, 'apiKey'> & { adminToken?: string | undefined }) {
    this.#transport = new Transport({ ...options, apiKey: adminToken });
    this.sessions = new OperatorSessions(this.#transport);
    this.accounts = new OperatorAccounts(this.#transport);
    this.videos = new OperatorVideos(this.#transport);
    this.callbacks = new OperatorCallbacks(this.#transport);
  }

  /** How providers, services and replicas are doing now. */
  status({ signal }: CallOptions = {}): Promise<Types.GatewayStatus> {
    return json(this.#transport, { path: '/status', signal });
  }

  /** How many jobs each queue has. */
  async queues(options: CallOptions = {}): Promise<readonly Types.QueueCount[]> {
    return dataOf<Types.QueueCount>(this.#transport, '/queues', options);
  }

  /** Whether the books are right, invariant by invariant. */
  verifyBilling({ signal }: CallOptions = {}): Promise<Types.BillingVerification> {
    return json(this.#transport, { path: '/billing/verify', signal });
  }

  /** What videos brought in and vendors asked for, by day, model and provider. */
  margin(
    period: { readonly from?: string; readonly to?: string } = {},
    { signal }: CallOptions = {},
  ): Promise<Types.MarginReport> {
    return json(this.#transport, { path: '/margin', query: period, signal });
  }

  /** Vendor work that nobody is billed for, newest first. */
  exposures(filter: Types.ExposureFilter = {}, options: ListOptions = {}): List<Types.Exposure> {
    return listOf(this.#transport, { path: `${root}/exposures`, query: filter }, options);
  }

  /** Routes whose vendors say that they have no such model. */
  async goneRoutes(options: CallOptions = {}): Promise<readonly Types.GoneRoute[]> {
    return dataOf<Types.GoneRoute>(this.#transport, '/routes/gone', options);
  }

  /** Sends tasks on a route again. */
  retryRoute(route: Types.RouteRequest, { signal }: CallOptions = {}): Promise<Types.RouteRetry> {
    return json(this.#transport, { method: 'POST', path: '/routes/retry', json: route, signal });
  }

  /** What happens to the videos of all accounts, until the signal ends it. */
  events(options: FollowOptions = {}): AsyncGenerator<Followed<Types.TaskEvent>, void> {
    return followedEvents<Types.TaskEvent>(
      this.#transport,
      { path: `${root}/events`, idIn: ({ task }) => task.id },
      options,
    );
  }

  /** What operators changed, newest first. */
  journal(filter: Types.JournalFilter = {}, options: ListOptions = {}): List<Types.OperatorAction> {
    return listOf(this.#transport, { path: `${root}/journal`, query: filter }, options);
  }
}

/** Browsers of operators. */
class OperatorSessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Signs the browser in: from then on a client without a token is this one. */
  open(adminToken: string, { signal }: CallOptions = {}): Promise<Session> {
    return json(this.#transport, {
      method: 'POST',
      path: '/session',
      headers: { authorization: `Bearer ${adminToken}`, 'x-gateway-console': '1' },
      repeatable: 'if refused',
      signal,
    });
  }

  current({ signal }: CallOptions = {}): Promise<Session> {
    return json(this.#transport, { path: '/session', signal });
  }

  /** Signs the browser out. */
  close({ signal }: CallOptions = {}): Promise<EndedSession> {
    return json(this.#transport, { method: 'DELETE', path: '/session', signal });
  }
}

/** Accounts, their keys and their quota. */
class OperatorAccounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options: ListOptions = {}): List<Types.Account> {
    return listOf(this.#transport, { path: `${root}/accounts` }, options);
  }

  get(id: string, { signal }: CallOptions = {}): Promise<Types.Account> {
    return json(this.#transport, { path: accountPath(id), signal });
  }

  /** Opens an account; the secret of its callbacks is in the response and nowhere else. */
  create(request: Types.AccountRequest, { signal }: CallOptions = {}): Promise<Types.NewAccount> {
    return json(this.#transport, {
      method: 'POST',
      path: '/accounts',
      json: request,
      repeatable: 'if refused',
      signal,
    });
  }

  /** Renames, limits, suspends or resumes it. */
  change(
    id: string,
    patch: Types.AccountPatch,
    { signal }: CallOptions = {},
  ): Promise<Types.Account> {
    return json(this.#transport, { method: 'PATCH', path: accountPath(id), json: patch, signal });
  }

  keys(id: string, options: ListOptions = {}): List<Types.AccountKey> {
    return listOf(this.#transport, { path: `${root}${accountPath(id)}/keys` }, options);
  }

  /** Makes a key, which is in the response and nowhere else. */
  createKey(
    id: string,
    request: Types.AccountKeyRequest,
    { signal }: CallOptions = {},
  ): Promise<Types.NewAccountKey> {
    return json(this.#transport, {
      method: 'POST',
      path: `${accountPath(id)}/keys`,
      json: request,
      repeatable: 'if refused',
      signal,
    });
  }

  changeKey(
    keyId: string,
    patch: Types.AccountKeyPatch,
    { signal }: CallOptions = {},
  ): Promise<Types.AccountKey> {
    return json(this.#transport, { method: 'PATCH', path: keyPath(keyId), json: patch, signal });
  }

  revokeKey(keyId: string, { signal }: CallOptions = {}): Promise<Types.AccountKey> {
    return json(this.#transport, { method: 'DELETE', path: keyPath(keyId), signal });
  }

  /** Adds quota. */
  topUp(
    id: string,
    request: Types.TopUpRequest,
    { idempotencyKey, signal }: OnceOptions,
  ): Promise<Types.TopUp> {
    return json(this.#transport, {
      method: 'POST',
      path: `${accountPath(id)}/top-ups`,
      json: request,
      headers: { 'idempotency-key': idempotencyKey },
      signal,
    });
  }

  /** Gives quota or takes it away, with a reason; with `dry_run` it only says what would be. */
  adjust(
    id: string,
    request: Types.AdjustmentRequest,
    { idempotencyKey, signal }: OnceOptions,
  ): Promise<Types.Adjustment> {
    return json(this.#transport, {
      method: 'POST',
      path: `${accountPath(id)}/adjustments`,
      json: request,
      headers: { 'idempotency-key': idempotencyKey },
      signal,
    });
  }

  ledger(id: string, options: ListOptions = {}): List<Types.AccountEntry> {
    return listOf(this.#transport, { path: `${root}${accountPath(id)}/ledger` }, options);
  }

  usage(
    id: string,
    filter: Types.AccountUsageFilter = {},
    { signal }: CallOptions = {},
  ): Promise<Types.AccountUsage> {
    return json(this.#transport, { path: `${accountPath(id)}/usage`, query: filter, signal });
  }
}

/** The videos of all accounts. */
class OperatorVideos {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(filter: Types.TaskFilter = {}, options: ListOptions = {}): List<Types.Task> {
    return listOf(this.#transport, { path: `${root}/tasks`, query: filter }, options);
  }

  /** The last page of the list: those that were made first, newest before older. */
  oldest(
    filter: Types.TaskFilter = {},
    { perPage = 100, signal }: ListOptions = {},
  ): Promise<Types.TaskPage> {
    const query = { ...filter, limit: perPage, before: `video_${'0'.repeat(26)}` };
    return json(this.#transport, { path: '/tasks', query, signal });
  }

  /** Everything about one but what its customer wrote. */
  get(id: string, { signal }: CallOptions = {}): Promise<Types.TaskDetail> {
    return json(this.#transport, { path: videoPath(id), signal });
  }

  cancel(id: string, { signal }: CallOptions = {}): Promise<Types.TaskDetail> {
    return json(this.#transport, { method: 'POST', path: `${videoPath(id)}/cancel`, signal });
  }

  /** Every attempt to push its statuses, newest first. */
  callbacks(id: string, options: ListOptions = {}): List<Types.OperatorAttempt> {
    return listOf(this.#transport, { path: `${root}${videoPath(id)}/callbacks` }, options);
  }

  /** Pushes its newest status once more. */
  redeliver(id: string, { signal }: CallOptions = {}): Promise<Redelivery> {
    return json(this.#transport, {
      method: 'POST',
      path: `${videoPath(id)}/callbacks/redeliver`,
      repeatable: 'if refused',
      signal,
    });
  }
}

const root = '/admin/v1';
const accountPath = (id: string): string => `/accounts/${encodeURIComponent(id)}`;
const keyPath = (id: string): string => `/keys/${encodeURIComponent(id)}`;
const videoPath = (id: string): string => `/videos/${encodeURIComponent(id)}`;

const json = <Body>(transport: Transport, call: Call): Promise<Body> =>
  transport.json<Body>({ ...call, path: root + call.path });

async function dataOf<Item>(
  transport: Transport,
  path: string,
  { signal }: CallOptions,
): Promise<readonly Item[]> {
  const { data } = await json<{ data: readonly Item[] }>(transport, { path, signal });
  return data;
}
