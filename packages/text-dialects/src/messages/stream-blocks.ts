import type { Source } from '../neutral.ts';
import { signatureOf } from './marker.ts';
import { citationOf } from './sources.ts';

type BlockType = 'text' | 'thinking' | 'tool_use';

const deltaWords: Readonly<Record<BlockType, string>> = {
  text: '"type":"text_delta","text":',
  thinking: '"type":"thinking_delta","thinking":',
  tool_use: '"type":"input_json_delta","partial_json":',
};

/** One event of the messages dialect as bytes of a stream. */
export const eventText = (type: string, fields: Readonly<Record<string, unknown>>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const deltaPrefix = (index: number, type: BlockType): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{${deltaWords[type]}`;

interface State {
  open: BlockType | undefined;
  nextIndex: number;
  /** Everything of a delta's bytes that does not change within the open block. */
  prefix: string;
  /** Of the open thinking block. */
  thoughts: string;
  signature: string | undefined;
  /** Sources that wait for a text. */
  waiting: Source[];
}

export interface Blocks {
  /** A piece of a block of this type; another that is open is ended first. */
  delta(type: BlockType, text: string): string;
  open(type: BlockType, fields: Readonly<Record<string, unknown>>): string;
  /** A block that is complete at its start. */
  whole(block: Readonly<Record<string, unknown>>): string;
  /** A source of the open text; of the next one, where none is open. */
  cite(source: Source): string;
  /** The proof of the thoughts just told, or of some that are not shown. */
  sign(signature: string): string;
  close(): string;
  /** Ends a tool's block, if it is the open one. */
  closeTool(): string;
}

const emptyBlocks: Readonly<Record<BlockType, Readonly<Record<string, unknown>>>> = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  tool_use: {},
};

const citations = (index: number, sources: readonly Source[]): string =>
  sources
    .map((source) => ({ type: 'citations_delta', citation: citationOf(source) }))
    .map((delta) => eventText('content_block_delta', { index, delta }))
    .join('');

/** The blocks of one streamed message: one open at a time, numbered without a gap. */
export function createBlocks(): Blocks {
  const state: State = {
    open: undefined,
    nextIndex: 0,
    prefix: '',
    thoughts: '',
    signature: undefined,
    waiting: [],
  };
  const stop = (): string => eventText('content_block_stop', { index: state.nextIndex - 1 });
  const close = (): string => {
    const type = state.open;
    if (type === undefined) return '';
    state.open = undefined;
    if (type !== 'thinking') return stop();
    const delta = {
      type: 'signature_delta',
      signature: signatureOf(state.thoughts, state.signature),
    };
    [state.thoughts, state.signature] = ['', undefined];
    return eventText('content_block_delta', { index: state.nextIndex - 1, delta }) + stop();
  };
  const open = (type: BlockType, fields: Readonly<Record<string, unknown>>): string => {
    const closing = close();
    const index = state.nextIndex++;
    state.open = type;
    state.prefix = deltaPrefix(index, type);
    const start = eventText('content_block_start', { index, content_block: { type, ...fields } });
    if (type !== 'text' || state.waiting.length === 0) return closing + start;
    return closing + start + citations(index, state.waiting.splice(0));
  };
  return {
    open,
    close,
    closeTool: () => (state.open === 'tool_use' ? close() : ''),
    cite(source) {
      if (state.open === 'text') return citations(state.nextIndex - 1, [source]);
      state.waiting.push(source);
      return '';
    },
    sign(signature) {
      const opening = state.open === 'thinking' ? '' : open('thinking', emptyBlocks.thinking);
      state.signature = signature;
      return opening;
    },
    delta(type, text) {
      if (text === '') return '';
      const opening = state.open === type ? '' : open(type, emptyBlocks[type]);
      if (type === 'thinking') state.thoughts += text;
      return `${opening}${state.prefix}${JSON.stringify(text)}}}\n\n`;
    },
    whole(block) {
      const closing = close();
      return `${closing}${eventText('content_block_start', { index: state.nextIndex++, content_block: block })}${stop()}`;
    },
  };
}
