import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { GatewayError } from '@gateway/domain';
import type { Slots } from '@gateway/limits';
import { noBudget, openHttp, type Budget, type Gateway, type ServeHttp } from '@gateway/mcp';
import { version, type Log, type PeerAddress } from '@gateway/runtime';
import type { Bodies } from '../bodies/index.ts';
import {
  authenticated,
  callerOf,
  presentedKey,
  type Authenticate,
} from '../http/authentication.ts';
import { onlyMethods } from '../http/methods.ts';
import { knownQuery } from '../http/request-parts.ts';
import type { InnerCalls } from './inner-calls.ts';
import { createNamedBudget, type NamedBudgetPorts } from './named-budget.ts';
import { checkOrigin } from './origin.ts';
import { ownGateway } from './own-gateway.ts';
import { goneSignalOf, sendWebResponse, webRequestOf } from './web-messages.ts';

export interface McpRoutesOptions {
  readonly authenticate: Authenticate;
  readonly bodies: Pick<Bodies, 'readJson'>;
  readonly bodyTimeoutMs: number;
  readonly slots: Slots;
  /** Requests that one key may have under way at once, over all replicas. */
  readonly mostPerKey: number;
  readonly innerCalls: InnerCalls;
  readonly peerOf: PeerAddress;
  /** Origins whose pages may use it; `*` is every origin. */
  readonly origins: readonly string[];
  readonly budgets: NamedBudgetPorts['budgets'];
  readonly log: Pick<Log, 'warn'>;
}

/** Nothing but a small upload is as large. */
const bodyLimitBytes = 1_000_000;
const retryAfterMs = 5_000;

/**
 * `/mcp`: the tools of agents over HTTP. Each request stands for itself; there are no sessions, and
 * no streams that outlive the call they belong to.
 */
export function mcpRoutes(options: McpRoutesOptions): Router {
  const { authenticate, origins, log } = options;
  let opening: Promise<ServeHttp> | undefined;
  const onError = ({ message }: Error): void => {
    log.warn('a request of an agent was refused by the protocol', { reason: message });
  };
  // The library takes a fifth of a second to load, and most gateways have no agents.
  const serve = (): Promise<ServeHttp> => (opening ??= openHttp({ version, onError }));
  const router = Router();
  router
    .route('/mcp')
    .post(
      (request, _response, next) => {
        checkOrigin(request.headers, origins);
        requireKey(request);
        next();
      },
      authenticated(authenticate),
      (request, response) =>
        inSlot(options, response, () => respond(options, serve, { request, response })),
    )
    .all(onlyMethods('POST'));
  return router;
}

/** A browser's session opens other routes: agents have keys. Throws missing_api_key. */
function requireKey({ headers }: Pick<Request, 'headers'>): string {
  const key = presentedKey(headers);
  if (key !== undefined) return key;
  throw new GatewayError(
    'missing_api_key',
    'send your API key as "Authorization: Bearer <API_KEY>" or in x-api-key',
  );
}

async function inSlot(
  { slots, mostPerKey }: McpRoutesOptions,
  response: Response,
  work: () => Promise<void>,
): Promise<void> {
  const slot = await slots.acquire(`mcp:${callerOf(response).keyId}`, mostPerKey);
  if (slot === undefined) {
    throw new GatewayError(
      'rate_limit_exceeded',
      `this key may have ${mostPerKey} requests of agents under way at once; wait for one to end`,
      { retryAfterMs },
    );
  }
  try {
    await work();
  } finally {
    slot.release();
  }
}

interface Asked {
  readonly request: Request;
  readonly response: Response;
}

async function respond(
  options: McpRoutesOptions,
  serve: () => Promise<ServeHttp>,
  { request, response }: Asked,
): Promise<void> {
  const { bodies, bodyTimeoutMs, innerCalls, peerOf } = options;
  const limit = limitOf(request);
  const gone = goneSignalOf(response);
  const { value, release } = await bodies.readJson({
    incoming: request,
    response,
    accountId: callerOf(response).accountId,
    bounds: { limitBytes: bodyLimitBytes, timeoutMs: bodyTimeoutMs },
  });
  try {
    if (Array.isArray(value)) {
      throw new GatewayError(
        'invalid_parameter',
        'the body must be one message; the protocol has no batches any more',
      );
    }
    const outer = {
      apiKey: requireKey(request),
      peer: peerOf(request),
      requestId: String(response.locals['requestId']),
    };
    const gateway = ownGateway(innerCalls, outer);
    const answered = await (
      await serve()
    )(webRequestOf(request, gone), {
      body: value,
      connection: {
        gateway,
        budget: budgetOf(options, { limit, gateway, keyId: callerOf(response).keyId }),
        newKey: () => `mcp-${randomUUID()}`,
      },
    });
    await sendWebResponse(answered, { response, gone });
  } finally {
    release();
  }
}

interface Limit {
  readonly maxQuota: number;
  readonly name: string;
}

const maxQuotaHeader = 'x-gateway-max-quota';
const budgetHeader = 'x-gateway-budget';

/** What the videos of this connection may cost, as a header or, for clients that send none, in the address. */
function limitOf(request: Request): Limit | undefined {
  const query = knownQuery(request, ['max_quota', 'budget']);
  // What is there and empty is a mistake, and no wish for a budget without an end.
  const inQuery = (name: string): string | undefined =>
    Object.hasOwn(request.query, name) ? (query[name] ?? '') : undefined;
  const text = request.get(maxQuotaHeader) ?? inQuery('max_quota');
  const named = request.get(budgetHeader) ?? inQuery('budget');
  const name = named ?? 'default';
  if (text === undefined) {
    if (named === undefined) return undefined;
    throw new GatewayError(
      'missing_parameter',
      `a budget needs its size, also one that was used before: send ${maxQuotaHeader} or max_quota with its name`,
      { param: maxQuotaHeader },
    );
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw new GatewayError('invalid_parameter', `${maxQuotaHeader} must be a number of quota`, {
      param: maxQuotaHeader,
    });
  }
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw new GatewayError(
      'invalid_parameter',
      `${budgetHeader} must be 1 to 64 letters, digits, dots, hyphens or underscores`,
      { param: budgetHeader },
    );
  }
  return { maxQuota: Number(text), name };
}

interface Spender {
  readonly limit: Limit | undefined;
  readonly gateway: Pick<Gateway, 'get'>;
  readonly keyId: string;
}

const budgetOf = ({ budgets }: McpRoutesOptions, { limit, gateway, keyId }: Spender): Budget =>
  limit === undefined ? noBudget : createNamedBudget({ budgets, gateway }, { ...limit, keyId });
