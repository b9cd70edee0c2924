import { normaliseArguments } from '../chat/tool-arguments.ts';
import { newToolId } from '../chat/tool-ids.ts';
import { estimateByteTokens } from '../estimate.ts';
import { type Fields, isFields, lookUp, wordsOf } from '../json.ts';
import type {
  Completion,
  CompletionIdentity,
  CompletionMemory,
  Finish,
  Source,
  Usage,
} from '../neutral.ts';
import { failureIn, failureOfBody, unreadable, UpstreamFailureError } from '../upstream-failure.ts';
import { known, readCount, readList, readRecord, readString } from '../values.ts';
import { markVendorSeal } from '../vendor-seal.ts';
import { isFinishedResponse, responseUsageIn } from '../wire/usage.ts';

interface Reading {
  readonly memory: CompletionMemory;
  readonly identity: CompletionIdentity;
  readonly taken: Set<string>;
}

type Parts = Completion['parts'];

/**
 * A whole Response object of an upstream. Throws `UpstreamFailureError` for one that failed, and for
 * anything that is none.
 */
export function readResponsesCompletion(
  body: unknown,
  memory: CompletionMemory,
  identity: CompletionIdentity,
): Completion {
  if (!isFields(body)) {
    throw new UpstreamFailureError(
      unreadable('The upstream returned something that is not a JSON object.'),
    );
  }
  if (!isFinishedResponse(body['status'])) {
    throw new UpstreamFailureError(failureIn(body) ?? failureOfBody(body));
  }
  const reading = { memory, identity, taken: new Set<string>() };
  const parts = (readList(body['output']) ?? []).flatMap((item) => readItem(item, reading));
  const calls = parts.filter(({ type }) => type === 'tool_call').length;
  const refusal = parts
    .flatMap((part) => (part.type === 'text' && part.isRefusal === true ? part.text : []))
    .join('');
  return {
    id: wordsOf(body['id']) ?? '',
    parts,
    finish: finishOfResponse(body, { calls, refusal }),
    usage: responseUsageIn(body) ?? estimatedUsage(bytesOf(parts), memory),
  };
}

const bytesOf = (parts: Parts): number =>
  parts.reduce(
    (sum, part) =>
      sum + Buffer.byteLength(part.type === 'tool_call' ? part.argumentsText : part.text),
    0,
  );

/** Figures of our own for an upstream that reports none. */
export const estimatedUsage = (
  outputBytes: number,
  { inputEstimate }: Pick<CompletionMemory, 'inputEstimate'>,
): Usage => ({
  inputTokens: inputEstimate,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: estimateByteTokens(outputBytes),
  reasoningTokens: 0,
  estimated: true,
});

/** Why a response ended, and what it holds. */
export function finishOfResponse(
  { status, incomplete_details: details }: Fields,
  { calls, refusal }: { calls: number; refusal: string },
): Finish {
  const refused: Finish = {
    reason: 'refusal',
    ...(refusal !== '' && { explanation: refusal }),
  };
  if (status === 'incomplete') {
    return readRecord(details)?.['reason'] === 'content_filter' ? refused : { reason: 'length' };
  }
  if (calls > 0) return { reason: 'tool_calls' };
  return refusal === '' ? { reason: 'stop' } : refused;
}

const itemReaders: Readonly<Record<string, (item: Fields, reading: Reading) => Parts>> = {
  message: (item) => (readList(item['content']) ?? []).flatMap(readContent),
  reasoning: (item) => readThoughts(item),
  function_call: (item, reading) => readCall(item, normaliseArguments(item['arguments']), reading),
  custom_tool_call: (item, reading) => readCall(item, customArguments(item), reading),
};

const readItem = (item: unknown, reading: Reading): Parts =>
  isFields(item) ? (lookUp(itemReaders, String(item['type']))?.(item, reading) ?? []) : [];

/** The text of a custom tool as the object that the others know. */
export const customArguments = ({ input }: Fields): string =>
  JSON.stringify({ input: readString(input) ?? '' });

function readContent(value: unknown): Parts {
  const part = readRecord(value) ?? {};
  const text = readString(part['text']) ?? '';
  const refusal = wordsOf(part['refusal']);
  if (refusal !== undefined) return [{ type: 'text', text: refusal, isRefusal: true }];
  const sources = (readList(part['annotations']) ?? []).flatMap(
    (each) => readAnnotation(each) ?? [],
  );
  if (text === '' && sources.length === 0) return [];
  return [{ type: 'text', text, ...(sources.length > 0 && { sources }) }];
}

/** A source; its place counts from the beginning of its text. */
export function readAnnotation(value: unknown): Source | undefined {
  const annotation = readRecord(value) ?? {};
  const url = wordsOf(annotation['url']);
  if (annotation['type'] !== 'url_citation' || url === undefined) return undefined;
  return {
    url,
    ...known({
      title: wordsOf(annotation['title']),
      from: readCount(annotation['start_index']),
      to: readCount(annotation['end_index']),
    }),
  };
}

/** The words of a reasoning item, of its summary or of the thoughts themselves. */
export const thoughtsOf = (item: Fields): string =>
  [...(readList(item['summary']) ?? []), ...(readList(item['content']) ?? [])]
    .map((part) => readString(readRecord(part)?.['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');

function readThoughts(item: Fields): Parts {
  const text = thoughtsOf(item);
  const encrypted = wordsOf(item['encrypted_content']);
  if (encrypted !== undefined) {
    return [{ type: 'reasoning', text, signature: markVendorSeal(encrypted) }];
  }
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

function readCall(item: Fields, argumentsText: string, reading: Reading): Parts {
  const { memory, identity, taken } = reading;
  const name = wordsOf(item['name']);
  if (name === undefined) return [];
  const id = newToolId({ id: item['call_id'] }, { taken, identity });
  return [{ type: 'tool_call', id, name: lookUp(memory.toolNames, name) ?? name, argumentsText }];
}
