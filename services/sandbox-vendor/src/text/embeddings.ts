import { createHash } from 'node:crypto';
import { failures, TextFailure } from './failures.ts';
import { tokensOfText } from './model/tokens.ts';

interface EmbeddingsBody {
  readonly model: string;
  readonly input: readonly (string | readonly number[])[];
  readonly dimensions: number;
  readonly isBase64: boolean;
}

/** What clients get that ask for no other number. */
const usualDimensions = 1_536;
const mostDimensions = 4_096;
/** As the vendor documents them. */
const mostInputs = 2_048;

/** The body of `POST /v1/embeddings`; throws a TextFailure that names what is wrong. */
function readBody(body: Readonly<Record<string, unknown>>): EmbeddingsBody {
  const { model, input, dimensions = usualDimensions, encoding_format: format = 'float' } = body;
  if (typeof model !== 'string') throw invalid('model', 'you must provide a model parameter');
  if (model.startsWith('missing-')) throw failures.chat['missing-model'](model);
  if (
    !Number.isInteger(dimensions) ||
    Number(dimensions) < 1 ||
    Number(dimensions) > mostDimensions
  ) {
    throw invalid('dimensions', `must be an integer from 1 to ${mostDimensions}`);
  }
  if (format !== 'float' && format !== 'base64') {
    throw invalid('encoding_format', "must be one of 'float' or 'base64'");
  }
  return {
    model,
    input: readInput(input),
    dimensions: Number(dimensions),
    isBase64: format === 'base64',
  };
}

const isTokens = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);
const isInput = (value: unknown): value is string | readonly number[] =>
  (typeof value === 'string' && value !== '') || isTokens(value);

function readInput(input: unknown): readonly (string | readonly number[])[] {
  if (isInput(input)) return [input];
  const all: readonly unknown[] = Array.isArray(input) ? input : [];
  if (all.length === 0 || all.length > mostInputs || !all.every(isInput)) {
    throw invalid('input', `must be a text, tokens, or an array of up to ${mostInputs} of them`);
  }
  return all;
}

const invalid = (param: string, problem: string): TextFailure =>
  new TextFailure(400, `Invalid '${param}': ${problem}.`, { param });

interface EmbeddingsResponse {
  readonly object: 'list';
  readonly data: readonly object[];
  readonly model: string;
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

/** Responds to a request for embeddings: the same input has the same vector, of length 1. */
export function embed(raw: Readonly<Record<string, unknown>>): EmbeddingsResponse {
  const { model, input, dimensions, isBase64 } = readBody(raw);
  const tokens = input.reduce(
    (sum, one) => sum + (typeof one === 'string' ? tokensOfText(one) : one.length),
    0,
  );
  return {
    object: 'list',
    data: input.map((one, index) => {
      const vector = vectorOf(JSON.stringify(one), dimensions);
      return {
        object: 'embedding',
        index,
        embedding: isBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector],
      };
    }),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const bytes = createHash('shake256', { outputLength: dimensions }).update(text).digest();
  const vector = Float32Array.from(bytes, (byte) => byte - 127.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
