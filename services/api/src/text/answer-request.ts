import type { TextProvider, TextRoute } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Circuits, Slot, Slots } from '@gateway/limits';
import type { Log } from '@gateway/runtime';
import { afterFailure, type NextStep } from './after-failure.ts';
import { callRoute, type RunningCall } from './call-route.ts';
import { chooseRoutes, routeName } from './choose-routes.ts';
import { composeCall, noteCall, type AnswerTask } from './compose-call.ts';
import { giveUp, refuse } from './conclude.ts';
import { Downstream } from './downstream.ts';
import type { Exchange } from './exchange.ts';
import { judgeOutcome, type Failed } from './judge-outcome.ts';
import type { OpenAnswer, OpenAnswers } from './open-answers.ts';
import type { Preparation } from './preparation.ts';
import type { Upstreams } from './upstreams.ts';

export interface AnswerPorts {
  readonly preparation: Preparation;
  readonly upstreams: Upstreams;
  readonly circuits: Circuits;
  readonly slots: Slots;
  readonly open: OpenAnswers;
  readonly log: Pick<Log, 'warn'>;
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** More would only add to an outage. */
const maxAttempts = 4;
const pauseMs = 200;

/** One request on its way from route to route. */
class Quest implements OpenAnswer {
  readonly exchange: Exchange;
  readonly task: AnswerTask;
  readonly downstream: Downstream;
  readonly stream: boolean;
  /** Why the last try did not answer. */
  last: Failed | undefined;
  running: RunningCall | undefined;
  place = -1;

  constructor(exchange: Exchange, task: AnswerTask) {
    this.exchange = exchange;
    this.task = task;
    this.downstream = new Downstream(exchange);
    this.stream = task.wantsStream;
  }

  tick(): void {
    this.running?.tick();
  }

  abandon(reason: string): void {
    this.exchange.abandon(reason);
  }
}

/**
 * Answers one request: routes in turn, each judged by what it did before the first byte. Returns when the client has its
 * answer or has left. Throws upstream_unavailable when no route may be tried, and what no upstream can be told.
 */
export function createAnswerRequest(ports: AnswerPorts): (exchange: Exchange, task: AnswerTask) => Promise<void> {
  return async (exchange, task) => {
    const quest = new Quest(exchange, task);
    ports.open.add(quest);
    try {
      await tryRoutes(ports, quest);
    } finally {
      ports.open.remove(quest);
    }
  };
}

async function tryRoutes(ports: AnswerPorts, quest: Quest): Promise<void> {
  let untold: GatewayError | undefined;
  for (const route of chooseRoutes(quest.task.model.routes, ports.random)) {
    const provider = quest.exchange.configuration.textProviders.get(route.provider);
    if (provider === undefined || !ports.circuits.mayTry(routeName(route))) continue;
    try {
      if (await tryRoute(ports, quest, { route, provider })) return;
    } catch (error) {
      // This upstream cannot be told the request; another may.
      if (!GatewayError.is(error)) throw error;
      untold ??= error;
    }
    if (mayGoOn(quest) === 'no') break;
  }
  conclude(quest, untold);
}

/** True when the client has its answer. The same route gets a second chance where the failure was of the moment. */
async function tryRoute(ports: AnswerPorts, quest: Quest, { route, provider }: { route: TextRoute; provider: TextProvider }): Promise<boolean> {
  const slot = provider.maxConcurrent === undefined ? unlimited : await ports.slots.acquire(`provider:${provider.name}`, provider.maxConcurrent);
  if (slot === undefined) return false;
  try {
    if (await tryOnce(ports, quest, { route, provider })) return true;
    if (mayGoOn(quest) !== 'same_route') return false;
    await ports.wait(pauseMs * (0.5 + ports.random()));
    return mayGoOn(quest) === 'same_route' && (await tryOnce(ports, quest, { route, provider }));
  } finally {
    slot.release();
  }
}

async function tryOnce(ports: AnswerPorts, quest: Quest, { route, provider }: { route: TextRoute; provider: TextProvider }): Promise<boolean> {
  const { exchange, task, downstream } = quest;
  const composed = composeCall(ports.preparation, exchange, { task, route, provider, downstream });
  const call = composed instanceof Promise ? await composed : composed;
  // Nobody would give this call up: the client has left meanwhile.
  if (exchange.gone) return false;
  noteCall(exchange, call);
  if (exchange.trace !== undefined) exchange.trace.beginAttempt(call, exchange.facts.attempts);
  quest.running = callRoute(exchange, call, ports);
  const outcome = await quest.running.outcome;
  quest.last = judgeOutcome(exchange, { call, outcome }, { circuits: ports.circuits, log: ports.log, inputTokens: () => task.body.estimate() });
  if (exchange.trace !== undefined) exchange.trace.endAttempt(outcome, quest.last);
  return quest.last === undefined;
}

/** What may be tried next for this client: nothing once a byte has reached it, or it has left. */
function mayGoOn({ exchange, downstream, last }: Quest): NextStep['again'] {
  if (exchange.gone || downstream.opened || exchange.facts.attempts >= maxAttempts) return 'no';
  return last === undefined ? 'other_route' : afterFailure(last.failure).again;
}

function conclude({ exchange, downstream, last }: Quest, untold: GatewayError | undefined): void {
  if (exchange.gone) return;
  if (last?.answer !== undefined) refuse(exchange, last.answer);
  else if (last?.told !== undefined) giveUp(exchange, last.told, { downstream });
  else if (last !== undefined) giveUp(exchange, last.failure, { downstream });
  else throw untold ?? new GatewayError('upstream_unavailable', 'no upstream can take this request right now; try again', { retryAfterMs: 5_000 });
}

const unlimited: Slot = { release: () => undefined };
