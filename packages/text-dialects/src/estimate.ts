import type { Part, TextRequest } from './neutral.ts';

/**
 * UTF-8 bytes of a token. English has about four characters a token and is over-counted by a
 * quarter at most, Chinese and Japanese have one or two tokens for three bytes: bytes fit both
 * better than characters, and are counted natively.
 */
const bytesPerToken = 3.2;
export const tokensPerImage = 1_600;
const tokensPerPage = 2_200;
/**
 * Of a page of a PDF with some pictures; documents of text alone are smaller and so over-counted.
 */
const bytesPerPage = 50_000;
const tokensPerTurn = 4;
const tokensPerTool = 12;

/** Tokens of so many bytes of UTF-8, rounded up and rather too many. */
export const estimateByteTokens = (sizeBytes: number): number =>
  Math.ceil(sizeBytes / bytesPerToken);

/** The bytes of a text; of one that was shortened, those that it had. */
export type Weigh = (text: string) => number;
const asItIs: Weigh = (text) => Buffer.byteLength(text);

/** Tokens of a text, rounded up and rather too many. */
export const estimateTextTokens = (text: string, weigh = asItIs): number =>
  estimateByteTokens(weigh(text));

/**
 * Tokens of a request's prompt (system, conversation, tools, images, documents), without a
 * tokenizer: about a tenth too many.
 */
export function estimateTokens(request: TextRequest, weigh = asItIs): number {
  const tokensIn = (text: string): number => estimateTextTokens(text, weigh);
  let tokens = tokensPerTurn;
  for (const { text } of request.system) tokens += tokensIn(text);
  for (const turn of request.turns) tokens += tokensPerTurn + tokensOfParts(turn.parts, weigh);
  for (const tool of request.tools) {
    tokens +=
      tokensPerTool +
      tokensIn(tool.name) +
      tokensIn(tool.description ?? '') +
      tokensIn(JSON.stringify(tool.parameters));
  }
  if (request.format?.type === 'json_schema') {
    tokens += tokensIn(JSON.stringify(request.format.schema));
  }
  return tokens;
}

const tokensOfParts = (parts: readonly Part[], weigh: Weigh): number =>
  parts.reduce((sum, part) => sum + tokensOf(part, weigh), 0);

function tokensOf(part: Part, weigh: Weigh): number {
  switch (part.type) {
    case 'text':
      return estimateTextTokens(part.text, weigh);
    case 'reasoning':
      return estimateTextTokens(part.text, weigh);
    case 'tool_call':
      return (
        tokensPerTurn +
        estimateTextTokens(part.name) +
        estimateTextTokens(part.argumentsText, weigh)
      );
    case 'tool_result':
      return tokensPerTurn + tokensOfParts(part.content, weigh);
    case 'image':
      return tokensPerImage;
    case 'document':
      return tokensOfDocument(part, weigh);
  }
}

function tokensOfDocument(
  { source, title = '', context = '' }: Extract<Part, { type: 'document' }>,
  weigh: Weigh,
): number {
  const words = estimateTextTokens(title, weigh) + estimateTextTokens(context, weigh);
  if (source.kind === 'text') return words + estimateTextTokens(source.text, weigh);
  const sizeBytes = source.kind === 'base64' ? weigh(source.data) * 0.75 : 0;
  return words + tokensPerPage * Math.max(1, Math.ceil(sizeBytes / bytesPerPage));
}
