import { isFields, parseJson, wordsOf, type Fields } from '../json.ts';

/** What a vendor's error body says, whatever its shape. */
export interface Complaint {
  readonly message: string | undefined;
  /** Codes, types and statuses in words, the most telling first. */
  readonly words: readonly string[];
  /** A status inside the body, which counts when the response itself came with 200. */
  readonly status: number | undefined;
  readonly param: string | undefined;
  /** A time to wait inside the body, as Google writes it (`34s`). */
  readonly retryDelay: string | undefined;
}

export const noComplaint: Complaint = {
  message: undefined,
  words: [],
  status: undefined,
  param: undefined,
  retryDelay: undefined,
};

/**
 * Reads OpenAI, Anthropic, vLLM, FastAPI, OpenRouter, Google, Mistral, DashScope and MiniMax
 * shapes; undefined for JSON that holds no complaint.
 */
export function complaintIn(json: unknown): Complaint | undefined {
  if (Array.isArray(json)) return complaintIn(json[0]);
  if (!isFields(json)) return undefined;
  const { error, detail, base_resp: base } = json;
  if (isFields(error)) return fromObject(error);
  if (wordsOf(error) !== undefined) {
    return { ...fromObject(json), message: wordsOf(json['message']) ?? wordsOf(error) };
  }
  if (detail !== undefined && detail !== null) return fromDetail(detail);
  if (isFields(base)) {
    return {
      ...noComplaint,
      message: wordsOf(base['status_msg']),
      words: [String(base['status_code'])],
    };
  }
  return saysSomething(json) ? fromObject(json) : undefined;
}

const saysSomething = (json: Fields): boolean =>
  json['object'] === 'error' ||
  json['type'] === 'error' ||
  ['message', 'error_msg', 'msg'].some((field) => json[field] !== undefined) ||
  Array.isArray(json['errors']);

function fromObject(error: Fields): Complaint {
  const { metadata, details } = error;
  const inner = isFields(metadata) ? behind(metadata['raw']) : undefined;
  const codes = [error['code'], error['error_code'], error['type'], error['status']];
  const numbers = [error['code'], error['http_code'], error['status']].map(Number);
  return {
    message: inner?.message ?? messageOf(error),
    words: [
      ...(inner?.words ?? []),
      ...codes.flatMap((code) =>
        typeof code === 'string' || typeof code === 'number' ? [String(code)] : [],
      ),
      ...reasonsIn(error),
    ],
    status: numbers.find((number) => number >= 400 && number <= 599),
    param: wordsOf(error['param']),
    retryDelay: Array.isArray(details)
      ? details
          .filter(isFields)
          .map((detail) => wordsOf(detail['retryDelay']))
          .find((delay) => delay !== undefined)
      : undefined,
  };
}

function messageOf({ message, error_msg: other, msg, errors }: Fields): string | undefined {
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
  return sentenceOf(message) ?? wordsOf(other) ?? wordsOf(msg) ?? sentenceOf(first);
}

/** A router passes on what the vendor behind it said, as JSON in a text or as plain words. */
function behind(raw: unknown): Complaint | undefined {
  const text = wordsOf(raw);
  if (text === undefined) return complaintIn(raw);
  const json = parseJson(text);
  return json === undefined ? { ...noComplaint, message: text.slice(0, 1000) } : complaintIn(json);
}

/** Azure tells a content filter in an inner error. */
function reasonsIn(error: Fields): string[] {
  const inner = error['innererror'];
  const code = isFields(inner) ? wordsOf(inner['code']) : undefined;
  return code === undefined ? [] : [code];
}

function sentenceOf(value: unknown): string | undefined {
  if (!isFields(value)) return wordsOf(value);
  return value['detail'] === undefined
    ? wordsOf(value['message'])
    : fromDetail(value['detail']).message;
}

/** FastAPI: one sentence, or a list of `{loc, msg, type}`. */
function fromDetail(detail: unknown): Complaint {
  if (typeof detail === 'string') return { ...noComplaint, message: detail };
  if (isFields(detail)) return complaintIn({ error: detail }) ?? noComplaint;
  const places = (Array.isArray(detail) ? detail : [])
    .filter(isFields)
    .map((one) => ({ param: placeOf(one['loc']), text: wordsOf(one['msg']) ?? 'is not valid' }));
  const message = places
    .map(({ param, text }) => (param === undefined ? text : `${param}: ${text}`))
    .join('; ');
  return {
    ...noComplaint,
    message: wordsOf(message.slice(0, 2000)),
    words: ['invalid_request'],
    param: places[0]?.param,
  };
}

/** `["body", "messages", 0, "role"]` as `messages[0].role`. */
function placeOf(loc: unknown): string | undefined {
  if (!Array.isArray(loc)) return undefined;
  const steps = (loc as unknown[]).filter((step, index) => !(index === 0 && step === 'body'));
  return wordsOf(
    steps.reduce<string>(
      (path, step) =>
        typeof step === 'number'
          ? `${path}[${step}]`
          : `${path}${path === '' ? '' : '.'}${String(step)}`,
      '',
    ),
  );
}
