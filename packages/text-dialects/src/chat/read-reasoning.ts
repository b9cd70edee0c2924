import type { Fields } from '../json.ts';
import type { Effort, ReasoningFields, ReasoningOptions } from '../neutral.ts';
import { known, readBoolean, readCount, readRecord, readText } from '../values.ts';
import { invalid } from './refuse.ts';

const efforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Fields in which clients of one vendor or another ask for reasoning. */
export const reasoningFields = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'output_config',
] as const;

/**
 * One request from all of them: `reasoning_effort`, OpenRouter's
 * `reasoning{effort,max_tokens,enabled}`, `thinking{type,budget_tokens}` of the messages dialect
 * and of DeepSeek, and Qwen's `enable_thinking` with `thinking_budget`. Undefined where there is
 * none.
 */
export function readReasoning(body: Fields): ReasoningOptions | undefined {
  const reasoning = recordOf(body['reasoning']);
  const thinking = recordOf(body['thinking']);
  const effort =
    readEffort(body['reasoning_effort'], 'reasoning_effort') ??
    readEffort(reasoning['effort'], 'reasoning.effort') ??
    readEffort(recordOf(body['output_config'])['effort'], 'output_config.effort');
  const budgetTokens = readBudget(
    thinking['budget_tokens'] ?? reasoning['max_tokens'] ?? body['thinking_budget'],
  );
  // The switch itself weighs more than a word about its strength.
  const isOn = readSwitch(body) ?? isImplied(effort, budgetTokens);
  if (isOn === undefined) return undefined;
  if (!isOn) return { mode: 'off' };
  return {
    mode: thinking['type'] === 'adaptive' ? 'adaptive' : 'on',
    ...known({ effort: effort === 'none' ? undefined : effort, budgetTokens }),
  };
}

/** Which of those fields a request has. */
export function reasoningFieldsOf(body: Fields): ReasoningFields {
  const has = (field: string): boolean => (body[field] ?? undefined) !== undefined;
  return {
    mode: ['thinking', 'reasoning', 'enable_thinking', 'thinking_budget'].find(has),
    effort: has('reasoning_effort')
      ? 'reasoning_effort'
      : has('output_config')
        ? 'output_config.effort'
        : undefined,
  };
}

function readSwitch(body: Fields): boolean | undefined {
  const type = readText(recordOf(body['thinking'])['type']);
  if (type !== undefined) return type !== 'disabled';
  return (
    readBoolean(recordOf(body['reasoning'])['enabled']) ?? readBoolean(body['enable_thinking'])
  );
}

/** What a word or a number says where no switch was sent. */
function isImplied(
  effort: Effort | undefined,
  budgetTokens: number | undefined,
): boolean | undefined {
  if (effort === undefined && budgetTokens === undefined) return undefined;
  return effort !== 'none';
}

const recordOf = (value: unknown): Fields => readRecord(value) ?? {};

function readEffort(value: unknown, param: string): Effort | undefined {
  if (value === null || value === undefined) return undefined;
  const effort = efforts.find((word) => word === value);
  if (effort === undefined) throw invalid(param, `must be one of ${efforts.join(', ')}`);
  return effort;
}

function readBudget(value: unknown): number | undefined {
  const tokens = readCount(value);
  return tokens === 0 ? undefined : tokens;
}
