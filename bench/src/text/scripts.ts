import type { Dialect, Script } from './protocol.ts';

export interface Pace {
  readonly chunks: number;
  /** 0: one chunk in each turn of the event loop. */
  readonly everyMs: number;
}

/** Undefined: one response, no stream. */
export const paceOf: Readonly<Record<Script, Pace | undefined>> = {
  whole: undefined,
  100: { chunks: 100, everyMs: 0 },
  paced: { chunks: 200, everyMs: 100 },
  quick: { chunks: 500, everyMs: 20 },
  // The core that upstream and client share is free when the first chunk arrives at the client: the
  // upstream does not write on and on.
  spaced: { chunks: 10, everyMs: 1 },
};

/** The first and the last events of a stream leave in one write each. */
export const writesOf = ({ chunks }: Pace): number => chunks + 2;

export const scriptNames = Object.keys(paceOf) as Script[];

/** The model's name tells the gateway which upstream to take, and the upstream what to do. */
export const modelOf = (upstream: Dialect, script: Script): string => `bench-${upstream}-${script}`;

/** Whether a text model costs quota: where it does, a request needs a lease of its account's quota. */
export const pricings = ['priced', 'free'] as const;
export type Pricing = (typeof pricings)[number];

/** Two names of the messages upstream's whole response, so that both pay the same for the other name. */
export const aliasOf = (pricing: Pricing): string => `bench-alias-${pricing}`;

/** The name with the quotes of its JSON, so that it is found in a body that is not parsed. */
export const modelInBody =
  /"model":\s*"(bench-(?:messages|chat|responses)-(whole|100|paced|quick|spaced))"/;

export const pathOf: Readonly<Record<Dialect, string>> = {
  messages: '/v1/messages',
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
};

/** The text of the last event of a complete stream. */
export const endOf: Readonly<Record<Dialect, string>> = {
  messages: 'message_stop',
  chat: '[DONE]',
  responses: 'response.completed',
};

/**
 * Milliseconds on the clock that all processes of a machine share; the wall clock may be corrected
 * during a run.
 */
export function sharedClockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

/** The moment at which a chunk was written, inside the chunk's text. */
export const stampOf = (): string => `~${sharedClockMs().toFixed(3)}~`;
export const stamps = /~(\d+\.\d{3})~/g;
