import type { Fields } from '../json.ts';
import type { ReasoningPart } from '../neutral.ts';
import { vendorSignature } from './vendor-signature.ts';

/** How clients tell whose signature it is: another vendor's would be refused. */
const originator = 'anthropic-claude-v1';
const unknownFormat = 'unknown';

const isProven = ({ signature, redacted }: ReasoningPart): boolean =>
  signature !== undefined || redacted !== undefined;

/** A signature as it goes to a client, with the name of its format. */
function signatureFields(signature: string): { signature: string; format: string } {
  const foreign = vendorSignature(signature);
  return foreign === undefined
    ? { signature, format: originator }
    : { signature: foreign, format: unknownFormat };
}

/**
 * Thoughts that must come back as they are, in the two forms that clients keep: `reasoning_details`
 * as OpenRouter has them, `thinking_blocks` as LiteLLM does. None where nothing is signed.
 */
export function writeThoughts(parts: readonly ReasoningPart[]): Fields {
  if (!parts.some(isProven)) return {};
  return { reasoning_details: parts.map(writeDetail), thinking_blocks: writeBlocks(parts) };
}

function writeDetail({ text, signature, redacted }: ReasoningPart, index: number): Fields {
  if (redacted !== undefined) {
    return { type: 'reasoning.encrypted', data: redacted, format: originator, index };
  }
  return {
    type: 'reasoning.text',
    text,
    ...(signature !== undefined && signatureFields(signature)),
    index,
  };
}

const writeBlocks = (parts: readonly ReasoningPart[]): readonly Fields[] =>
  parts.filter(isProven).map(({ text, signature = '', redacted }) =>
    redacted === undefined
      ? {
          type: 'thinking',
          thinking: text,
          signature: signatureFields(signature).signature,
        }
      : { type: 'redacted_thinking', data: redacted },
  );

/** The same in a stream: each as the fields of a delta, in JSON without the braces. */
export interface ThoughtWriter {
  /** `literal`: the text as it stands in JSON. */
  text(text: string, literal: string): string;
  sign(signature: string): string;
  redacted(data: string): string;
  /** All blocks; empty where nothing was signed. Once: clients keep the last or add them up. */
  blocks(): string;
}

/** Clients put fragments of one index together, and add up every text in them but `type`. */
export function createThoughtWriter(): ThoughtWriter {
  const closed: ReasoningPart[] = [];
  let thoughts = '';
  const detail = (fields: Fields): string =>
    `"reasoning_details":[${JSON.stringify({ ...fields, index: closed.length })}]`;
  const close = (part: Omit<ReasoningPart, 'type'>): void => {
    closed.push({ type: 'reasoning', ...part });
    thoughts = '';
  };
  return {
    text(text, literal) {
      thoughts += text;
      return `"reasoning_details":[{"type":"reasoning.text","text":${literal},"index":${closed.length}}]`;
    },
    sign(signature) {
      const fields = detail({ type: 'reasoning.text', ...signatureFields(signature) });
      close({ text: thoughts, signature });
      return fields;
    },
    redacted(data) {
      if (thoughts !== '') close({ text: thoughts });
      const fields = detail({ type: 'reasoning.encrypted', data, format: originator });
      close({ text: '', redacted: data });
      return fields;
    },
    blocks() {
      const blocks = writeBlocks(closed);
      return blocks.length === 0 ? '' : `"thinking_blocks":${JSON.stringify(blocks)}`;
    },
  };
}
