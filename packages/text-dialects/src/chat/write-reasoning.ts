import type { Fields } from '../json.ts';
import type { Effort, ReasoningOptions, TextRequest } from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';

export interface WrittenReasoning {
  readonly fields: Fields;
  /** The model is going to think. */
  readonly thinking: boolean;
  /** The client asked for something this upstream has no word for. */
  readonly lost: boolean;
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
  if (reasoning === undefined) return { fields: {}, thinking: false, lost: false };
  if (quirks.reasoningStyle === 'none') {
    return { fields: {}, thinking: false, lost: isOn(reasoning) };
  }
  return {
    fields: writers[quirks.reasoningStyle](reasoning, quirks),
    thinking: isOn(reasoning),
    lost: false,
  };
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

/** The nearest word that the upstream takes: down from the one wished for, then up. */
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
