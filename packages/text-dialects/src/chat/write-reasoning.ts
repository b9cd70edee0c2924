import type { Fields } from '../json.ts';
import type { Effort, ReasoningOptions, TextRequest } from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';

export interface WrittenReasoning {
  readonly fields: Fields;
  /** The model is going to think. */
  readonly thinking: boolean;
  /** The client's fields that asked for something this upstream has no word for. */
  readonly lost: readonly string[];
}

type ReasoningStyle = ChatQuirks['reasoningStyle'];
type Writer = (reasoning: ReasoningOptions, quirks: ChatQuirks) => Fields;

const isOn = ({ mode }: ReasoningOptions): boolean => mode !== 'off';

const writers: Readonly<Record<Exclude<ReasoningStyle, 'none'>, Writer>> = {
  effort: (reasoning, { reasoningWords }) => {
    const word = effortWord(reasoning, reasoningWords);
    return word === undefined ? {} : { reasoning_effort: word };
  },
  thinking_type: (reasoning) => ({ thinking: { type: isOn(reasoning) ? 'enabled' : 'disabled' } }),
  qwen: (reasoning) => ({
    enable_thinking: isOn(reasoning),
    ...(isOn(reasoning) &&
      reasoning.budgetTokens !== undefined && { thinking_budget: reasoning.budgetTokens }),
  }),
  openrouter: (reasoning) => ({ reasoning: openrouterReasoning(reasoning) }),
  vllm: (reasoning) => ({ chat_template_kwargs: { enable_thinking: isOn(reasoning) } }),
};

/**
 * How an upstream is told to think, or not to. Absent options mean "do not" to a client of the
 * messages dialect.
 */
export function writeReasoning(request: TextRequest, quirks: ChatQuirks): WrittenReasoning {
  const reasoning = effectiveReasoning(request, quirks);
  const { reasoningStyle: style, alwaysThinks } = quirks;
  const thinking = alwaysThinks || (style !== 'none' && reasoning !== undefined && isOn(reasoning));
  return {
    fields: reasoning === undefined || style === 'none' ? {} : writers[style](reasoning, quirks),
    thinking,
    lost: lostFields(request, { thinking, tellsEffort: tellEffort.has(style) }),
  };
}

const tellEffort: ReadonlySet<ReasoningStyle> = new Set(['effort', 'openrouter']);

function lostFields(
  { reasoning, reasoningFields }: TextRequest,
  { thinking, tellsEffort }: { thinking: boolean; tellsEffort: boolean },
): readonly string[] {
  if (reasoning === undefined) return [];
  const isHeeded = thinking === isOn(reasoning);
  return [
    isHeeded ? undefined : reasoningFields?.mode,
    isHeeded && tellsEffort ? undefined : reasoningFields?.effort,
  ].filter((field) => field !== undefined);
}

function effectiveReasoning(
  request: TextRequest,
  quirks: ChatQuirks,
): ReasoningOptions | undefined {
  if (!quirks.reasoningWithTools && request.tools.length > 0) return { mode: 'off' };
  if (quirks.thinkingNeedsStream && !request.stream && request.reasoning !== undefined) {
    return { mode: 'off' };
  }
  return request.reasoning ?? (quirks.reasoningDefaultOn ? { mode: 'off' } : undefined);
}

const ladder: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The nearest word that the upstream takes: down from the one asked for, then up. */
function effortWord(reasoning: ReasoningOptions, allowed: readonly Effort[]): Effort | undefined {
  const wanted = isOn(reasoning)
    ? (reasoning.effort ?? effortOfBudget(reasoning.budgetTokens))
    : 'none';
  if (wanted === undefined) return undefined;
  const step = ladder.indexOf(wanted);
  // Who wants thoughts must not get none at all.
  const lowest = isOn(reasoning) ? 1 : 0;
  return [...ladder.slice(lowest, step + 1).reverse(), ...ladder.slice(step + 1)].find((word) =>
    allowed.includes(word),
  );
}

/** Budgets as clients give them, in the three words that every such upstream has. */
function effortOfBudget(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens < 4_096) return 'low';
  return budgetTokens < 16_384 ? 'medium' : 'high';
}

const openrouterWords: readonly Effort[] = ['minimal', 'low', 'medium', 'high'];

function openrouterReasoning(reasoning: ReasoningOptions): Fields {
  if (!isOn(reasoning)) return { enabled: false };
  if (reasoning.budgetTokens !== undefined) return { max_tokens: reasoning.budgetTokens };
  const effort = effortWord(reasoning, openrouterWords);
  return effort === undefined ? { enabled: true } : { effort };
}
