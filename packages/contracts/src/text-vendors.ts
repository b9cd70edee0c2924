import {
  chatQuirksSchema,
  chatVendorNames,
  messagesQuirksSchema,
  messagesVendorNames,
  responsesQuirksSchema,
  responsesVendorNames,
} from '@gateway/text-dialects';
import type { TextProviderKind } from './configuration.ts';

interface DialectFacts {
  readonly vendorNames: readonly string[];
  /** JSON Schema of the operator's overrides. */
  readonly quirksSchema: Readonly<Record<string, unknown>>;
}

/** What packages/text-dialects knows of the vendors of each dialect. */
export const textDialectFacts: Readonly<Record<TextProviderKind, DialectFacts>> = {
  messages: { vendorNames: messagesVendorNames, quirksSchema: messagesQuirksSchema },
  chat: { vendorNames: chatVendorNames, quirksSchema: chatQuirksSchema },
  responses: { vendorNames: responsesVendorNames, quirksSchema: responsesQuirksSchema },
};

/** Whose host an address names: the host itself or any below it. */
const vendorsByHost: readonly (readonly [host: string, vendor: string])[] = [
  ['api.openai.com', 'openai'],
  ['openai.azure.com', 'azure'],
  ['services.ai.azure.com', 'azure'],
  ['api.anthropic.com', 'anthropic'],
  ['amazonaws.com', 'bedrock'],
  ['aiplatform.googleapis.com', 'vertex'],
  ['deepseek.com', 'deepseek'],
  ['aliyuncs.com', 'qwen'],
  ['bigmodel.cn', 'glm'],
  ['z.ai', 'glm'],
  ['moonshot.cn', 'kimi'],
  ['moonshot.ai', 'kimi'],
  ['kimi.com', 'kimi'],
  ['minimax.io', 'minimax'],
  ['minimax.chat', 'minimax'],
  ['minimaxi.com', 'minimax'],
  ['api.mistral.ai', 'mistral'],
  ['generativelanguage.googleapis.com', 'gemini'],
  ['openrouter.ai', 'openrouter'],
  ['api.groq.com', 'groq'],
  ['api.x.ai', 'xai'],
];

/** The vendor at this address, when the dialect knows it; else `generic`. */
export function vendorOfHost(kind: TextProviderKind, baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  const vendor = vendorsByHost.find(([known]) => host === known || host.endsWith(`.${known}`))?.[1];
  return vendor !== undefined && textDialectFacts[kind].vendorNames.includes(vendor)
    ? vendor
    : 'generic';
}
