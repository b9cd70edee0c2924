import { createToolIds, type ToolIds } from '../chat/tool-ids.ts';
import type { Fields } from '../json.ts';
import type {
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
  Turn,
} from '../neutral.ts';
import { known } from '../values.ts';
import { vendorSeal } from '../vendor-seal.ts';
import type { ResponsesQuirks } from './quirks.ts';

export interface InputOptions {
  readonly quirks: Pick<ResponsesQuirks, 'encryptedReasoning'>;
  /** The upstream's name of a tool. */
  readonly toolName: (name: string) => string;
}

type Shown = TextPart | ImagePart | DocumentPart;
type Writing = InputOptions & { readonly ids: ToolIds };

/** A conversation as the items of an `input`. */
export function writeInput(turns: readonly Turn[], options: InputOptions): readonly Fields[] {
  const writing = { ...options, ids: createToolIds('max_40') };
  return turns.flatMap(({ role, parts }) => {
    if (role === 'user') return writeUser(parts, writing);
    if (role === 'assistant') return writeAssistant(parts, writing);
    const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
    return [{ type: 'message', role: 'developer', content: texts.join('\n\n') }];
  });
}

const isShown = (part: Part): part is Shown =>
  part.type === 'text' || part.type === 'image' || part.type === 'document';

/** Results first, each an item of its own; then whatever else the user showed. */
function writeUser(parts: readonly Part[], { ids }: Writing): Fields[] {
  const results = parts
    .filter((part) => part.type === 'tool_result')
    .map((result) => writeResult(result, ids));
  const shown = parts.filter(isShown);
  return shown.length === 0
    ? results
    : [...results, { type: 'message', role: 'user', content: writeShown(shown) }];
}

/** This format has no flag for a failed tool. */
const writeResult = ({ callId, content, isError }: ToolResultPart, ids: ToolIds): Fields => ({
  type: 'function_call_output',
  call_id: ids.ofResult(callId),
  output: writeShown(isError ? [{ type: 'text', text: 'Error: ' }, ...content] : content),
});

/** Texts alone are a text. */
const writeShown = (parts: readonly Shown[]): unknown =>
  parts.every((part) => part.type === 'text')
    ? joined(parts.map(({ text }) => text))
    : parts.map(writePart);

const joined = ([first = '', ...rest]: readonly string[]): string =>
  first === 'Error: ' ? first + rest.join('\n') : [first, ...rest].join('\n');

function writePart(part: Shown): Fields {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const { source } = part;
  if (part.type === 'image') {
    return {
      type: 'input_image',
      image_url: addressOf(part.source),
      detail: part.detail ?? 'auto',
    };
  }
  if (source.kind === 'text') {
    const text = [part.title, part.context, source.text].filter((line) => line !== undefined);
    return { type: 'input_text', text: text.join('\n') };
  }
  return source.kind === 'url'
    ? { type: 'input_file', file_url: source.url }
    : { type: 'input_file', filename: part.title ?? 'document.pdf', file_data: addressOf(source) };
}

const addressOf = (source: ImagePart['source']): string =>
  source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;

/** What the model said, thought and called, in its order. */
const writeAssistant = (parts: readonly Part[], writing: Writing): Fields[] =>
  parts.flatMap((part): Fields[] => {
    if (part.type === 'text') {
      const content = [{ type: 'output_text', text: part.text }];
      return part.text === '' ? [] : [{ type: 'message', role: 'assistant', content }];
    }
    if (part.type === 'reasoning') return writeReasoning(part, writing);
    if (part.type !== 'tool_call') return [];
    const { id, name, argumentsText } = part;
    return [
      {
        type: 'function_call',
        call_id: writing.ids.ofCall(id, name),
        name: writing.toolName(name),
        arguments: argumentsText === '' ? '{}' : argumentsText,
      },
    ];
  });

/** Only what the vendor has encrypted itself: thoughts of others it refuses. */
function writeReasoning({ text, signature }: ReasoningPart, { quirks }: Writing): Fields[] {
  const encrypted = vendorSeal(signature);
  if (encrypted === undefined || !quirks.encryptedReasoning) return [];
  const summary = text === '' ? [] : [known({ type: 'summary_text', text })];
  return [{ type: 'reasoning', summary, encrypted_content: encrypted }];
}
