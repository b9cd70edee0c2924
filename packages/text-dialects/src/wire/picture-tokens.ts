import { estimateByteTokens, tokensPerImage, type Weigh } from '../estimate.ts';
import { type Fields, isFields } from '../json.ts';

/** Blocks without media; those that hold blocks are looked into. */
const plain: ReadonlySet<unknown> = new Set([
  'text',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'refusal',
]);

/**
 * Tokens that a request of messages or chat completions cannot exceed: those of its bytes, but for its
 * pictures. Undefined where it has media of another kind. Reading the conversation for the same takes
 * five times as long.
 */
export function mostTokensOf(
  { messages }: Fields,
  { sizeBytes, weigh }: { readonly sizeBytes: number; readonly weigh: Weigh },
): number | undefined {
  let pictures = 0;
  let pictureBytes = 0;
  const isCounted = (content: unknown): boolean =>
    !Array.isArray(content) || content.every((block) => isFields(block) && isCountedBlock(block));
  const isCountedBlock = (block: Fields): boolean => {
    const { type } = block;
    if (type === 'image' || type === 'image_url') {
      pictures += 1;
      pictureBytes += weigh(dataOf(block));
      return true;
    }
    return plain.has(type) && isCounted(block['content']);
  };
  if (!Array.isArray(messages)) return undefined;
  for (const message of messages as unknown[]) {
    if (!isFields(message) || !isCounted(message['content'])) return undefined;
  }
  return estimateByteTokens(sizeBytes - pictureBytes) + pictures * tokensPerImage;
}

/** Base64, alone or in an address. */
function dataOf({ source, image_url: image }: Fields): string {
  const data = isFields(source) ? (source['data'] ?? source['url']) : undefined;
  const url = isFields(image) ? image['url'] : image;
  return [data, url].find((each) => typeof each === 'string') ?? '';
}
