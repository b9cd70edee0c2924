/** How vendors say that a prompt does not fit the model, and how each dialect says it. */

/**
 * Sentences and codes, as seen from OpenAI, Anthropic, vLLM, SGLang, llama.cpp, Google, Mistral,
 * xAI, Moonshot, DashScope, MiniMax, GLM, Groq, Cohere, Bedrock.
 */
const overflow = new RegExp(
  [
    'context[_ ]length[_ ]exceeded',
    'maximum context length',
    'maximum model length',
    'prompt is too long',
    'input is too long',
    'exceed_context_size',
    "exceeds? (?:the |this model's |its )?(?:available )?context (?:window|limit|length|size)",
    'context window exceeds',
    "longer than the model's context length",
    'input token count .*exceeds',
    'too large for model with',
    'maximum prompt length is',
    'exceeded model token limit',
    'range of input length should be',
    'prompt exceeds max(?:imum)? length',
    'reduce the length of the (?:messages|prompt|input)',
    'too many tokens: total number of tokens in the prompt',
  ].join('|'),
  'i',
);

/** True for the sentence, code or type of a failure that says that the prompt is too long. */
export const saysOverflow = (text: string): boolean => overflow.test(text);

const number = '([\\d,]+)';
const pattern = (source: string): RegExp => new RegExp(source.replaceAll('#', number), 'i');

const limits = [
  'maximum context length (?:is|of) #',
  'maximum model length of #',
  "model's context length \\(#",
  'available context size \\(#',
  'tokens allowed \\(#',
  'too large for model with #',
  'maximum prompt length is #',
  'token limit: #',
  'length should be \\[\\d+, ?#',
  'cannot exceed #',
  '> #',
].map(pattern);
const inputs = [
  'too long: # tokens',
  'context limit: # \\+',
  '# tokens from the input',
  'messages resulted in #',
  '(?:has|and your request has) # input tokens',
  '\\(# (?:in the messages|in your prompt|of text input)',
  'prompt \\(length #\\)',
  'input \\(# tokens',
  'request \\(# tokens',
  'input token count \\(#',
  'prompt contains # tokens',
  'request contains # tokens',
  'requested: #',
].map(pattern);
const outputs = [
  '\\+ # >',
  '# (?:in|for) the (?:completion|output)',
  '# tokens for the completion',
  'too large: #',
].map(pattern);
const totals = ['requested (?:about |a total of )?# tokens'].map(pattern);

export interface OverflowNumbers {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly limit: number | undefined;
}

/** The figures in such a sentence, in tokens. */
function overflowNumbers(message: string): OverflowNumbers {
  const first = (patterns: readonly RegExp[]): number | undefined => {
    const found = patterns
      .map((candidate) => candidate.exec(message)?.[1])
      .find((digits) => digits !== undefined);
    return found === undefined ? undefined : Number(found.replaceAll(',', ''));
  };
  const total = first(totals);
  const output = first(outputs);
  // Tools may be counted beside the messages: the difference has both.
  const input = total === undefined ? first(inputs) : total - (output ?? 0);
  return { input, output, limit: first(limits) };
}

/**
 * The wording of the messages dialect: its clients read the figures out of it, and shorten the
 * conversation or `max_tokens`.
 */
function messagesSentence(message: string): string {
  if (/prompt is too long|exceed context limit/i.test(message)) return message;
  const { input, output, limit } = overflowNumbers(message);
  if (input === undefined || limit === undefined) return `prompt is too long: ${message}`;
  if (input > limit || output === undefined) {
    return `prompt is too long: ${input} tokens > ${limit} maximum`;
  }
  return `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`;
}

/**
 * The wording of the chat dialect: libraries above it look for these words, and for no code, before
 * they shorten the conversation or turn to a model that takes more.
 */
function chatSentence(message: string): string {
  if (/this model's maximum context length is/i.test(message)) return message;
  const { input, output, limit } = overflowNumbers(message);
  if (input === undefined || limit === undefined) {
    return `This model's maximum context length is exceeded: ${message}`;
  }
  const begin = `This model's maximum context length is ${limit} tokens. However,`;
  return output === undefined || input > limit
    ? `${begin} your messages resulted in ${input} tokens. Please reduce the length of the messages.`
    : `${begin} you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`;
}

/** Two dialects share their errors, and the words in them. */
export type ErrorWords = 'messages' | 'chat';

/** That a prompt is too long, as the clients of each dialect expect it. */
export const overflowSentences: Readonly<Record<ErrorWords, (message: string) => string>> = {
  messages: messagesSentence,
  chat: chatSentence,
};
