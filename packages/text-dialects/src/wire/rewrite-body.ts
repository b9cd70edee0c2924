import { applyEdits, readTopLevel, valueOf, type Edit, type ValueSpan } from './body-spans.ts';

export interface BodyChanges {
  /** The upstream's name of the model. */
  readonly model?: string;
  /** Ask for the usage chunk of a chat stream. */
  readonly includeUsage?: boolean;
  /** No field stands twice: what stands behind those that are looked for need not be read. */
  readonly isJudged?: boolean;
}

/**
 * What an upstream of the same dialect is told otherwise: only the model's name and the request for
 * usage are touched, every other byte stays. The body must have been parsed as a JSON object before.
 * Duplicate `model` keys all get one value, so that no upstream reads another model than the one that
 * was checked.
 */
export function requestEdits(body: Buffer, changes: BodyChanges): Edit[] {
  const keys = changes.includeUsage === true ? ['model', 'stream_options'] : ['model'];
  const most = changes.isJudged === true ? keys.length : Infinity;
  const { inside, spans } = readTopLevel(body, keys, most);
  if (inside < 0) return [];
  const models = spans.filter(({ key }) => key === 'model');
  const options = spans.filter(({ key }) => key === 'stream_options');
  return [
    ...modelEdits(body, models, changes.model),
    ...(changes.includeUsage === true ? usageEdits(body, options, inside) : []),
  ];
}

/**
 * A whole completion with the client's own name of the model; the same Buffer when it has that already,
 * or has none.
 */
export function rewriteCompletionModel(body: Buffer, model: string): Buffer {
  const { spans } = readTopLevel(body, ['model']);
  const named = spans.filter((span) => typeof valueOf(body, span) === 'string');
  return applyEdits(body, modelEdits(body, named, model));
}

/** Without a new name the last of several wins, as in JSON.parse. */
function modelEdits(body: Buffer, spans: readonly ValueSpan[], model: string | undefined): Edit[] {
  const last = spans.at(-1);
  if (last === undefined) return [];
  const wanted = model ?? valueOf(body, last);
  return spans
    .filter((span) => valueOf(body, span) !== wanted)
    .map(({ start, end }) => ({ start, end, text: JSON.stringify(wanted) }));
}

const asked = '"include_usage":true';

function usageEdits(body: Buffer, spans: readonly ValueSpan[], inside: number): Edit[] {
  // The object has at least a model and messages, so a comma always follows.
  if (spans.length === 0) {
    return [{ start: inside, end: inside, text: `"stream_options":{${asked}},` }];
  }
  return spans.flatMap((span) => optionEdits(body, span));
}

function optionEdits(body: Buffer, { start, end }: ValueSpan): Edit[] {
  const options = valueOf(body, { start, end });
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return [{ start, end, text: `{${asked}}` }];
  }
  const { inside, spans } = readTopLevel(body.subarray(start, end), ['include_usage']);
  if (spans.length === 0) {
    const text = Object.keys(options).length === 0 ? asked : `${asked},`;
    return [{ start: start + inside, end: start + inside, text }];
  }
  return spans
    .map((span) => ({ start: start + span.start, end: start + span.end, text: 'true' }))
    .filter((span) => body.toString('latin1', span.start, span.end) !== 'true');
}
