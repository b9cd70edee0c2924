import { type Fields, isFields, lookUp } from '../json.ts';
import type { CompletionIdentity, CompletionMemory, Source, TextEvent } from '../neutral.ts';
import { readText } from '../values.ts';
import { createSourceList, isResultBlock, resultSources, sourceOf } from './sources.ts';
import { createToolCallOrder, type ToolCallOrder } from './tool-call-order.ts';
import { createFenceTrimmer } from './trim-fence.ts';

/**
 * The content blocks of one streamed message. `index` of the events ties deltas to blocks and is
 * used for nothing else.
 */
export interface Blocks {
  start(data: Fields): TextEvent[];
  delta(data: Fields): TextEvent[];
  stop(data: Fields): TextEvent[];
  /** Whether this block is open and holds text. */
  isText(index: unknown): boolean;
  /** A piece of the open text block. */
  text(text: string): TextEvent[];
  /** The rest of the content; `complete` is false when the completion was cut at its length. */
  end(complete: boolean): TextEvent[];
  /** Tools of the client that were called. */
  calls(): number;
  outputBytes(): number;
}

/**
 * `structured` is the tool that the gateway made the model respond through; `other` is what the
 * client's dialect cannot say.
 */
type Kind = 'text' | 'thinking' | 'tool' | 'structured' | 'other';

interface Block {
  readonly kind: Kind;
  /** Arguments given at the start, told at the end unless fragments came. */
  input: string;
  /** Of a text: where in all text it begins, and what it cites. */
  readonly from: number;
  readonly cited: Source[];
}

export function createBlocks(memory: CompletionMemory, identity: CompletionIdentity): Blocks {
  const blocks = new Map<unknown, Block>();
  const said = createWords(memory);
  const tools = createTools(memory, identity);
  const { text, reasoning } = said;
  const list = createSourceList();
  const cite = (block: Block | undefined, citation: unknown): TextEvent[] => {
    const source = sourceOf(citation);
    if (source !== undefined && block?.kind === 'text') block.cited.push(source);
    return [];
  };
  const citedBy = ({ from, cited }: Block): TextEvent[] => {
    cited.forEach(list.cite);
    return cited.map((source) => ({
      type: 'source',
      source: { ...source, from, to: said.length() },
    }));
  };

  const open = (index: unknown, kind: Kind, input = ''): TextEvent[] => {
    blocks.set(index, { kind, input, from: said.length(), cited: [] });
    return [];
  };
  const starters: Readonly<Record<string, (index: unknown, block: Fields) => TextEvent[]>> = {
    text: (index, block) => [...open(index, 'text'), ...text(block['text'])],
    thinking: (index, block) => [
      ...open(index, 'thinking'),
      ...reasoning(block['thinking']),
      ...signature(block['signature']),
    ],
    redacted_thinking: (index, block) => [
      ...open(index, 'other'),
      { type: 'reasoning_redacted', data: readText(block['data']) ?? '' },
    ],
    tool_use(index, block) {
      const { kind, input, events } = tools.start(index, block);
      if (kind === 'tool') said.count(input);
      return [...open(index, kind, input), ...events];
    },
  };

  const tellers: Readonly<Record<string, { kind: Kind; tell: (delta: Fields) => TextEvent[] }>> = {
    text_delta: { kind: 'text', tell: (delta) => text(delta['text']) },
    thinking_delta: { kind: 'thinking', tell: (delta) => reasoning(delta['thinking']) },
    signature_delta: { kind: 'thinking', tell: (delta) => signature(delta['signature']) },
  };
  const fragment = (index: unknown, block: Block | undefined, value: unknown): TextEvent[] => {
    if (typeof value !== 'string' || value === '') return [];
    if (block?.kind === 'structured') {
      block.input = '';
      return text(value);
    }
    if (block?.kind !== 'tool') return [];
    said.count(value);
    return tools.arguments(index, value);
  };

  return {
    start({ index, content_block: block }) {
      const type = isFields(block) ? readText(block['type']) : undefined;
      if (isFields(block) && isResultBlock(block)) list.found(resultSources(block));
      const starter = type === undefined ? undefined : lookUp(starters, type);
      return starter === undefined || !isFields(block)
        ? open(index, 'other')
        : starter(index, block);
    },
    delta({ index, delta }) {
      if (!isFields(delta)) return [];
      const block = blocks.get(index);
      if (delta['type'] === 'input_json_delta') {
        return fragment(index, block, delta['partial_json']);
      }
      if (delta['type'] === 'citations_delta') return cite(block, delta['citation']);
      const teller = lookUp(tellers, String(delta['type']));
      // Some vendors leave out the start of a block; a delta that does not fit its block is passed
      // over.
      return teller === undefined || (block !== undefined && block.kind !== teller.kind)
        ? []
        : teller.tell(delta);
    },
    stop({ index }) {
      const block = blocks.get(index);
      blocks.delete(index);
      if (block?.kind === 'text') return citedBy(block);
      return block?.kind === 'structured' ? text(block.input) : tools.stop(index);
    },
    end(complete) {
      const unfinished = [...blocks.values()].flatMap((block) =>
        block.kind === 'structured' ? text(block.input) : [],
      );
      const rest = [...blocks.values()].flatMap(citedBy);
      const uncited = list.uncited().map((source): TextEvent => ({ type: 'source', source }));
      return [...unfinished, ...said.end(complete), ...rest, ...uncited, ...tools.flush()];
    },
    isText: (index) => blocks.get(index)?.kind === 'text',
    text,
    calls: tools.calls,
    outputBytes: said.bytes,
  };
}

interface Tools extends Pick<ToolCallOrder, 'arguments' | 'stop' | 'flush'> {
  start(index: unknown, block: Fields): { kind: Kind; input: string; events: TextEvent[] };
  calls(): number;
}

function createTools(memory: CompletionMemory, identity: CompletionIdentity): Tools {
  const lane = createToolCallOrder();
  let calls = 0;
  return {
    ...lane,
    start(index, block) {
      const name = readText(block['name']);
      const input = inputText(block['input']);
      if (name === undefined) return { kind: 'other', input: '', events: [] };
      if (name === memory.structuredTool) return { kind: 'structured', input, events: [] };
      calls += 1;
      const id = readText(block['id']) ?? `call_${identity.newSuffix()}`;
      return {
        kind: 'tool',
        input,
        events: lane.start(index, { id, name: lookUp(memory.toolNames, name) ?? name, input }),
      };
    },
    calls: () => calls,
  };
}

interface Words {
  text(value: unknown): TextEvent[];
  reasoning(value: unknown): TextEvent[];
  /** Counts what is told elsewhere. */
  count(text: string): void;
  end(complete: boolean): TextEvent[];
  bytes(): number;
  /** Of all text so far, in UTF-16 units. */
  length(): number;
}

function createWords({ jsonText }: CompletionMemory): Words {
  const trimmer = jsonText === true ? createFenceTrimmer() : undefined;
  let bytes = 0;
  let length = 0;
  return {
    text(value) {
      if (typeof value !== 'string' || value === '') return [];
      bytes += Buffer.byteLength(value);
      length += value.length;
      return textEvents(trimmer === undefined ? value : trimmer.push(value));
    },
    reasoning(value) {
      if (typeof value !== 'string' || value === '') return [];
      bytes += Buffer.byteLength(value);
      return [{ type: 'reasoning', text: value }];
    },
    count(text) {
      bytes += Buffer.byteLength(text);
    },
    end: (complete) => textEvents(trimmer?.end(complete) ?? ''),
    bytes: () => bytes,
    length: () => length,
  };
}

const textEvents = (text: string): TextEvent[] => (text === '' ? [] : [{ type: 'text', text }]);

const signature = (value: unknown): TextEvent[] =>
  typeof value === 'string' && value !== ''
    ? [{ type: 'reasoning_signature', signature: value }]
    : [];

/**
 * The text of arguments that came whole; nothing for the empty object that stands for "to follow".
 */
function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  return isFields(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
}
