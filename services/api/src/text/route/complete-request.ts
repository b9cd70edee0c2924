import type { TextProvider, TextRoute } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Circuits, Slot, Slots } from '@gateway/limits';
import type { Log } from '@gateway/runtime';
import type { AnswerTask, Preparation } from '../arrive/index.ts';
import { Downstream, type OpenAnswer, type OpenAnswers } from '../client/index.ts';
import type { Exchange } from '../request/index.ts';
import {
  callRoute,
  type CallOutcome,
  type RouteCall,
  type RunningCall,
  type Upstreams,
} from '../upstream/index.ts';
import { afterFailure, type NextStep } from './after-failure.ts';
import { chooseRoutes } from './choose-routes.ts';
import { composeCall, noteCall } from './compose-call.ts';
import { answerFailure, refuse } from './conclude.ts';
import { judgeOutcome, type EndedCall, type Failed } from './judge-outcome.ts';
import { endTracedAttempt } from './trace-attempt.ts';

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
 * Answers one request: routes in turn, each judged by what it did before the first byte. Returns
 * when the client has its answer or has left. Throws upstream_unavailable when no route may be
 * tried, and what no upstream can be told.
 */
export function createAnswerRequest(
  ports: AnswerPorts,
): (exchange: Exchange, task: AnswerTask) => Promise<void> {
  return async (exchange, task) => {
    const quest = new Quest(exchange, task);
    let untold: GatewayError | undefined;
    ports.open.add(quest);
    try {
      for (const route of chooseRoutes(task.model.routes, ports.random)) {
        const provider = exchange.configuration.textProviders.get(route.provider);
        if (provider === undefined || !ports.circuits.mayTry(route.name)) continue;
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
    } finally {
      ports.open.remove(quest);
    }
  };
}

/**
 * True when the client has its answer. The same route gets a second chance where the failure was of
 * the moment.
 */
async function tryRoute(
  ports: AnswerPorts,
  quest: Quest,
  { route, provider }: { route: TextRoute; provider: TextProvider },
): Promise<boolean> {
  const { exchange, task, downstream } = quest;
  const slot =
    provider.maxConcurrent === undefined
      ? unlimited
      : await ports.slots.acquire(`provider:${provider.name}`, provider.maxConcurrent);
  if (slot === undefined) return false;
  try {
    for (let isSecond = false; ; isSecond = true) {
      const composed = composeCall(ports.preparation, exchange, {
        task,
        route,
        provider,
        downstream,
      });
      const call = composed instanceof Promise ? await composed : composed;
      // Nobody would give this call up: the client has left meanwhile.
      if (exchange.gone) return false;
      if (judge(ports, quest, { call, outcome: await begin(ports, quest, call) })) return true;
      if (isSecond || mayGoOn(quest) !== 'same_route') return false;
      await ports.wait(pauseMs * (0.5 + ports.random()));
      if (mayGoOn(quest) !== 'same_route') return false;
    }
  } finally {
    slot.release();
  }
}

function begin(ports: AnswerPorts, quest: Quest, call: RouteCall): Promise<CallOutcome> {
  const { exchange } = quest;
  noteCall(exchange, call);
  if (exchange.trace !== undefined) exchange.trace.beginAttempt(call, exchange.facts.attempts);
  quest.running = callRoute(exchange, call, ports);
  return quest.running.outcome;
}

/** True when the client has its answer. */
function judge({ circuits, log }: AnswerPorts, quest: Quest, ended: EndedCall): boolean {
  const { exchange, task } = quest;
  quest.last = judgeOutcome(exchange, ended, {
    circuits,
    log,
    inputTokens: () => task.body.estimate(),
  });
  if (exchange.trace !== undefined) endTracedAttempt(exchange.trace, ended.outcome, quest.last);
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
  else if (last?.told !== undefined) answerFailure(exchange, last.told, { downstream });
  else if (last !== undefined) answerFailure(exchange, last.failure, { downstream });
  else {
    throw (
      untold ??
      new GatewayError(
        'upstream_unavailable',
        'no upstream can take this request right now; try again',
        { retryAfterMs: 5_000 },
      )
    );
  }
}

const unlimited: Slot = { release: () => undefined };
