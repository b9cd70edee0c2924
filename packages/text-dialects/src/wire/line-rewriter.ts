import { parseJson } from '../json.ts';
import type { Dialect } from '../neutral.ts';
import { applyEdits, readTopLevel, valueOf, type ValueSpan } from './body-spans.ts';
import { fieldsOf } from './usage.ts';

/** Changes lines of a stream: bytes read as latin1, each line with its end. An empty answer drops the line. */
export interface LineRewriter {
  rewrite(line: string): string;
  /** Nothing that follows needs a look. */
  readonly done: boolean;
}

export interface RewriterOptions {
  readonly dialect: Dialect;
  readonly rewriteModel: string | null;
  readonly stripUsageChunk: boolean;
}

/** Null when every line may pass as it is. */
export function createLineRewriter({ dialect, rewriteModel, stripUsageChunk }: RewriterOptions): LineRewriter | null {
  if (dialect === 'messages') return rewriteModel === null ? null : createStartRewriter(rewriteModel);
  if (rewriteModel === null && !stripUsageChunk) return null;
  const renameModel = rewriteModel === null ? (line: string) => line : createChunkRenamer(rewriteModel);
  let dropBlank = false;
  return {
    rewrite(line) {
      const afterDropped = dropBlank;
      dropBlank = false;
      if (!line.startsWith('data:')) return afterDropped && isBlank(line) ? '' : line;
      dropBlank = stripUsageChunk && isUsageChunk(line);
      return dropBlank ? '' : renameModel(line);
    },
    done: false,
  };
}

const isBlank = (line: string): boolean => line === '\n' || line === '\r\n';

/** The extra chunk that comes of `stream_options.include_usage`: no choices, but usage. */
function isUsageChunk(line: string): boolean {
  const at = line.lastIndexOf('"usage":');
  // Other chunks carry no usage, or null.
  if (at < 0 || !/^ *\{/.test(line.slice(at + 8, at + 12))) return false;
  const { choices, usage, error } = fieldsOf(parseJson(line.slice(5)));
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null && (error ?? null) === null;
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
      if (type === undefined || message === undefined || valueOf(bytes, type) !== 'message_start') return line;
      done = true;
      const inner = readTopLevel(bytes.subarray(message.start, message.end), ['model']).spans;
      return renamed(bytes, inner.map(({ key, start, end }) => ({ key, start: start + message.start, end: end + message.start })), model).toString('latin1');
    },
    get done() { return done; },
  };
}

/** Every chunk names the model, mostly after the same beginning: that beginning is remembered and compared as a whole. */
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
  applyEdits(bytes, spans
    .filter((span) => typeof valueOf(bytes, span) === 'string' && valueOf(bytes, span) !== model)
    .map(({ start, end }) => ({ start, end, text: JSON.stringify(model) })));
