import type { Effort, ReasoningOptions, TextRequest, Turn } from '../neutral.ts';
import type { MessagesQuirks } from './quirks.ts';
import { isSigned } from './write-content.ts';

/** How the requested reasoning is told, and what it does to the length of the completion. */
export interface ThinkingPlan {
  /** Fields of the body: `thinking`, and `effort` of `output_config`. */
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly effort?: Effort;
  readonly maxTokens: number;
  /** The model will think, which rules out forced tools and most sampling. */
  readonly on: boolean;
  /** The reasoning could not be told. */
  readonly dropped: boolean;
}

interface Limits {
  /** Most output tokens, thinking included; undefined when nobody knows. */
  readonly limit: number | undefined;
  readonly defaultMaxTokens: number;
}

/** Tokens to think with for a word. */
const budgetOf: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_000,
  max: 32_000,
};
/** The least budget that the dialect takes. */
const leastBudget = 1_024;

const order: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** `limits` come from the configuration and the quirks. */
export function planThinking(
  request: TextRequest,
  quirks: MessagesQuirks,
  limits: Limits,
): ThinkingPlan {
  const { limit = Infinity } = limits;
  const maxTokens = Math.min(request.maxTokens ?? limits.defaultMaxTokens, limit);
  const reasoning = request.reasoning;
  const silent = { maxTokens, on: false, dropped: false };
  if (reasoning === undefined) return silent;
  if (quirks.thinking === 'none') return { ...silent, dropped: reasoning.mode !== 'off' };
  if (reasoning.mode === 'off') {
    return quirks.disabledThinking
      ? { ...silent, thinking: { type: 'disabled' } }
      : { ...silent, dropped: true };
  }
  if (isAdaptive(reasoning, quirks, request.turns)) {
    const effort = effortFor(reasoning, quirks.efforts);
    return {
      ...silent,
      on: true,
      thinking: { type: 'adaptive' },
      ...(effort !== undefined && { effort }),
    };
  }
  return planBudget({ request, reasoning, quirks, limit, maxTokens });
}

/** Models that know both think by budget where the client gave a number. */
function isAdaptive(
  reasoning: ReasoningOptions,
  quirks: MessagesQuirks,
  turns: readonly Turn[],
): boolean {
  if (quirks.thinking !== 'both') return quirks.thinking === 'adaptive';
  return reasoning.budgetTokens === undefined || lacksThoughts(turns, quirks);
}

function effortFor(reasoning: ReasoningOptions, known: readonly Effort[]): Effort | undefined {
  const wanted =
    reasoning.effort ??
    (reasoning.budgetTokens === undefined ? undefined : effortOfBudget(reasoning.budgetTokens));
  if (wanted === undefined || known.length === 0) return undefined;
  const rank = (effort: Effort): number => order.indexOf(effort);
  const sorted = known.toSorted((one, other) => rank(one) - rank(other));
  // The strongest that is not above what was asked for; failing that, the weakest there is.
  return sorted.findLast((effort) => rank(effort) <= rank(wanted)) ?? sorted[0];
}

const effortOfBudget = (tokens: number): Effort =>
  tokens < 4_096 ? 'low' : tokens < 16_384 ? 'medium' : 'high';

interface BudgetCase {
  readonly request: TextRequest;
  readonly reasoning: ReasoningOptions;
  readonly quirks: MessagesQuirks;
  readonly limit: number;
  readonly maxTokens: number;
}

/**
 * `max_tokens` counts the thoughts too, so it is raised by the budget, as far as the model goes;
 * then the budget gives way.
 */
function planBudget({ request, reasoning, quirks, limit, maxTokens }: BudgetCase): ThinkingPlan {
  const none = { maxTokens, on: false, dropped: true };
  if (lacksThoughts(request.turns, quirks) || endsWithAssistant(request.turns)) return none;
  const wanted = Math.max(
    reasoning.budgetTokens ?? budgetOf[reasoning.effort ?? 'medium'],
    leastBudget,
  );
  const enabled = (budgetTokens: number, total: number): ThinkingPlan => ({
    maxTokens: total,
    on: true,
    dropped: false,
    thinking: { type: 'enabled', budget_tokens: budgetTokens },
  });
  // A client that gave both numbers has counted by itself.
  if (
    reasoning.budgetTokens !== undefined &&
    request.maxTokens !== undefined &&
    wanted < maxTokens
  ) {
    return enabled(wanted, maxTokens);
  }
  const total = Math.min(maxTokens + wanted, limit);
  const budget = Math.min(wanted, total - Math.min(maxTokens, Math.ceil(total / 4)));
  return budget < leastBudget ? none : enabled(budget, total);
}

/**
 * While a tool's result is on its way back, models that think by budget insist on the signed
 * thoughts that led to the call.
 */
function lacksThoughts(turns: readonly Turn[], { unsignedThinking }: MessagesQuirks): boolean {
  if (unsignedThinking) return false;
  const parts = turns.findLast(({ role }) => role === 'assistant')?.parts ?? [];
  const [first] = parts;
  return (
    parts.some(({ type }) => type === 'tool_call') &&
    !(first?.type === 'reasoning' && isSigned(first))
  );
}

const endsWithAssistant = (turns: readonly Turn[]): boolean => turns.at(-1)?.role === 'assistant';
