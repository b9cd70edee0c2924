import { type Fields, isFields, wordsOf } from '../json.ts';

/** Notes between a client and the originator's API that tell a model nothing. */
const bookkeeping = new Set([
  'fallback',
  'mcp_tool_listing',
  'tool_addition',
  'tool_removal',
  'advisor_tool_result',
]);

/**
 * A block that only the originator's API makes (calls of its own tools and their results), as words
 * of the assistant; empty when there is nothing to say. Never a tool call: no upstream could return a result
 * it.
 */
export function serverBlockText(type: string, block: Fields): string {
  if (bookkeeping.has(type)) return '';
  if (type === 'server_tool_use' || type === 'mcp_tool_use') {
    return `[${wordsOf(block['name']) ?? 'tool'}] ${JSON.stringify(block['input'] ?? {})}`;
  }
  const body = [wordsOf(block['text']), linesOf(block['content'])].find(
    (text) => text !== undefined && text !== '',
  );
  if (body === undefined) return '';
  return type.endsWith('_tool_result')
    ? `[${type.slice(0, -'_tool_result'.length)} result]\n${body}`
    : body;
}

const linesOf = (content: unknown): string =>
  (Array.isArray(content) ? content : [content])
    .map(lineOf)
    .filter((line) => line !== '')
    .join('\n');

/** One result: what a reader can follow, without the encrypted and opaque fields. */
function lineOf(item: unknown): string {
  if (typeof item === 'string') return item;
  if (!isFields(item)) return '';
  const words = ['title', 'url', 'text', 'stdout', 'stderr', 'error_code', 'tool_name']
    .map((field) => wordsOf(item[field]))
    .filter((word) => word !== undefined);
  return [...words, nestedLines(item)].filter((line) => line !== '').join(' ');
}

function nestedLines(item: Fields): string {
  const nested = item['content'] ?? item['source'] ?? item['tool_references'];
  if (isFields(nested) && typeof nested['data'] === 'string' && nested['type'] === 'text') {
    return nested['data'];
  }
  return nested === undefined ? '' : linesOf(nested);
}
