import { parseJson } from '../json.ts';
import type { Dialect } from '../neutral.ts';
import {
  changesNothing,
  createEventChanger,
  type ResponseChanges,
  tellsNoResponse,
} from '../responses/passing-response.ts';
import { applyEdits, readTopLevel, valueOf, type ValueSpan } from './body-spans.ts';
import { fieldsOf } from './usage-extras.ts';

/**
 * Changes what must be changed in a stream, chunk by chunk: a line that is not complete is held
 * back.
 */
export interface Rewriting {
  /** Bytes to forward: the same Buffer when nothing changes, null when there is nothing yet. */
  push(chunk: Buffer): Buffer | null;
  end(): Buffer | null;
  /** Nothing that follows needs a look, and nothing is held back. */
  isOver(): boolean;
}

/** A line that grows past this is forwarded unseen. */
const longestLine = 16 * 1024 * 1024;
const newline = 0x0a;

/** Null when every byte may pass as it is. */
export function createRewriting(options: RewriterOptions): Rewriting | null {
  const rewriter = createLineRewriter(options);
  if (rewriter === null) return null;
  const mayPass = passesWhole(options);
  let unfinished = '';
  /** What may go now of a text that begins at a line; the rest is kept. */
  const take = (text: string): string => {
    const end = text.lastIndexOf('\n') + 1;
    const out = rewriteLines(text.slice(0, end), rewriter);
    const rest = text.slice(end);
    const passesRest = rewriter.isDone() || rest.length > longestLine;
    unfinished = passesRest ? '' : rest;
    return passesRest ? out + rest : out;
  };
  return {
    push(chunk) {
      if (
        unfinished === '' &&
        !rewriter.isPending() &&
        chunk[chunk.length - 1] === newline &&
        mayPass(chunk)
      ) {
        return chunk;
      }
      const text = chunk.toString('latin1');
      // Only new text is searched: a long line in many chunks is joined once, when it is complete.
      if (
        !rewriter.isDone() &&
        !text.includes('\n') &&
        unfinished.length + text.length <= longestLine
      ) {
        unfinished += text;
        return null;
      }
      const out = take(unfinished + text);
      if (out === text) return chunk;
      return out === '' ? null : Buffer.from(out, 'latin1');
    },
    end() {
      const last = unfinished === '' ? '' : rewriter.rewrite(unfinished);
      unfinished = '';
      return last === '' ? null : Buffer.from(last, 'latin1');
    },
    isOver: () => rewriter.isDone() && unfinished === '',
  };
}

/** Tells of a chunk of whole lines whether it may pass without a look at each. */
function passesWhole({ dialect, rewriteModel }: RewriterOptions): (chunk: Buffer) => boolean {
  if (dialect === 'responses') return tellsNoResponse;
  return dialect === 'chat' && rewriteModel === null ? isWithoutUsage : () => false;
}

function rewriteLines(lines: string, { rewrite }: LineRewriter): string {
  let out = '';
  let from = 0;
  for (let end = lines.indexOf('\n') + 1; end > 0; end = lines.indexOf('\n', from) + 1) {
    out += rewrite(lines.slice(from, end));
    from = end;
  }
  return out;
}

const anyUsage = /"usage":(?!n)/;

/**
 * Most chunks have no usage, or null: they are not the extra chunk. Searching the buffer itself would take
 * longer.
 */
const isWithoutUsage = (chunk: Buffer): boolean => !anyUsage.test(chunk.toString('latin1'));

/**
 * Changes lines of a stream: bytes read as latin1, each line with its end. An empty result drops
 * the line.
 */
interface LineRewriter {
  rewrite(line: string): string;
  /** Nothing that follows needs a look. */
  isDone(): boolean;
  /** The next line belongs to one that was dropped. */
  isPending(): boolean;
}

export interface RewriterOptions {
  readonly dialect: Dialect;
  readonly rewriteModel: string | null;
  readonly stripUsageChunk: boolean;
  /** Responses: what the client's response says otherwise than the upstream's. */
  readonly response?: Omit<ResponseChanges, 'rewriteModel'> | undefined;
}

function createResponseRewriter({ rewriteModel, response }: RewriterOptions): LineRewriter | null {
  const changes = { settings: {}, hidesThoughts: false, ...response, rewriteModel };
  return changesNothing(changes)
    ? null
    : { rewrite: createEventChanger(changes), isDone: () => false, isPending: () => false };
}

/** Null when every line may pass as it is. */
function createLineRewriter(options: RewriterOptions): LineRewriter | null {
  const { dialect, rewriteModel, stripUsageChunk } = options;
  if (dialect === 'responses') return createResponseRewriter(options);
  if (dialect === 'messages') {
    return rewriteModel === null ? null : createStartRewriter(rewriteModel);
  }
  if (rewriteModel === null && !stripUsageChunk) return null;
  const renameModel =
    rewriteModel === null ? (line: string) => line : createChunkRenamer(rewriteModel);
  let dropBlank = false;
  return {
    rewrite(line) {
      const afterDropped = dropBlank;
      dropBlank = false;
      if (!line.startsWith('data:')) return afterDropped && isBlank(line) ? '' : line;
      dropBlank = stripUsageChunk && isUsageChunk(line);
      return dropBlank ? '' : renameModel(line);
    },
    isDone: () => false,
    isPending: () => dropBlank,
  };
}

const isBlank = (line: string): boolean => line === '\n' || line === '\r\n';

/** The extra chunk that comes of `stream_options.include_usage`: no choices, but usage. */
function isUsageChunk(line: string): boolean {
  const at = line.lastIndexOf('"usage":');
  // Other chunks carry no usage, or null.
  if (at < 0 || !/^ *\{/.test(line.slice(at + 8, at + 12))) return false;
  const { choices, usage, error } = fieldsOf(parseJson(line.slice(5)));
  return (
    Array.isArray(choices) &&
    choices.length === 0 &&
    typeof usage === 'object' &&
    usage !== null &&
    (error ?? null) === null
  );
}

/** Only `message_start` names the model. */
function createStartRewriter(model: string): LineRewriter {
  let done = false;
  return {
    rewrite(line) {
      if (done || !line.startsWith('data:') || !line.includes('"message_start"')) return line;
      const bytes = Buffer.from(line, 'latin1');
      const { spans } = readTopLevel(bytes, ['type', 'message']);
      const type = spans.find(({ key }) => key === 'type');
      const message = spans.find(({ key }) => key === 'message');
      if (type === undefined || message === undefined || valueOf(bytes, type) !== 'message_start') {
        return line;
      }
      done = true;
      const inner = readTopLevel(bytes.subarray(message.start, message.end), ['model']).spans;
      return renamed(
        bytes,
        inner.map(({ key, start, end }) => ({
          key,
          start: start + message.start,
          end: end + message.start,
        })),
        model,
      ).toString('latin1');
    },
    isDone: () => done,
    isPending: () => false,
  };
}

/**
 * Every chunk names the model, mostly after the same beginning: that beginning is remembered and
 * compared as a whole.
 */
function createChunkRenamer(model: string): (line: string) => string {
  let beginning = '';
  let renamedBeginning = '';
  return (line) => {
    if (beginning === '' || !line.startsWith(beginning)) {
      const bytes = Buffer.from(line, 'latin1');
      const span = readTopLevel(bytes, ['model']).spans.at(-1);
      if (span === undefined) return line;
      const upTo = bytes.subarray(0, span.end);
      beginning = upTo.toString('latin1');
      renamedBeginning = renamed(upTo, [span], model).toString('latin1');
    }
    return beginning === renamedBeginning ? line : renamedBeginning + line.slice(beginning.length);
  };
}

const renamed = (bytes: Buffer, spans: readonly ValueSpan[], model: string): Buffer =>
  applyEdits(
    bytes,
    spans
      .filter((span) => typeof valueOf(bytes, span) === 'string' && valueOf(bytes, span) !== model)
      .map(({ start, end }) => ({ start, end, text: JSON.stringify(model) })),
  );
