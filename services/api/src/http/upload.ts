import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { finished, PassThrough, type Readable } from 'node:stream';
import busboy from 'busboy';
import { GatewayError } from '@gateway/domain';
import { canonicalMediaType } from '@gateway/media';
import { guarded } from '@gateway/runtime';

/** One file on its way in. */
export interface Upload {
  /**
   * As it was declared, in its registered spelling and without parameters; undefined when the
   * sender did not know.
   */
  readonly declaredType: string | undefined;
  /**
   * Ends as the file does, or fails with a GatewayError when the body is not what it should be.
   * Destroying it leaves the request alone.
   */
  readonly content: Readable;
  /** What else the body said, once all of it is read; rejects with a GatewayError. */
  readonly rest: Promise<{ readonly name: string | undefined }>;
}

/** Tiny next to any file; a form with more fields or headers is no asset. */
const limits = {
  files: 2,
  fields: 4,
  parts: 6,
  fieldNameSize: 100,
  fieldSize: 2_048,
  headerPairs: 32,
} as const;
const unknownTypes = ['', 'application/octet-stream', 'binary/octet-stream'];

const bad = (param: string | null, message: string, cause?: unknown): GatewayError =>
  new GatewayError('invalid_parameter', message, { param, cause });
const endedEarly = (cause?: unknown): GatewayError =>
  bad(
    'file',
    'the body ended early, or is not multipart/form-data as its content-type says',
    cause,
  );

/**
 * The file in a request: the `file` part of a form, or the body itself. Rejects with a GatewayError
 * when there is none.
 */
export function receiveUpload(request: IncomingMessage): Promise<Upload> {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return Promise.reject(
      new GatewayError(
        'unsupported_media_type',
        `send the file without content-encoding; got ${encoding.slice(0, 40)}`,
      ),
    );
  }
  const type = withoutParameters(headers['content-type']);
  return type === 'multipart/form-data'
    ? receiveForm(request)
    : Promise.resolve(receiveRaw(request, type));
}

/** Reads and discards the rest of a refused body, so that the sender gets to the response. */
function discardRest(request: IncomingMessage): void {
  request.unpipe();
  request.resume();
}

const withoutParameters = (type: string | undefined): string =>
  (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
const declared = (type: string): string | undefined =>
  unknownTypes.includes(type) ? undefined : canonicalMediaType(type);

function receiveRaw(request: IncomingMessage, type: string): Upload {
  return {
    declaredType: declared(type),
    content: detached(request),
    rest: Promise.resolve({ name: undefined }),
  };
}

/** A copy that may be destroyed without the request, whose socket still carries the response. */
function detached(source: Readable): Readable {
  const copy = new PassThrough();
  copy.on('error', () => undefined); // readers see it; there may be none yet
  finished(source, { writable: false }, (error) => {
    if (error) copy.destroy(endedEarly(error));
  });
  return source.pipe(copy);
}

/** What has been seen of a form so far. */
interface Form {
  content?: Readable;
  fileName?: string;
  name?: string;
}

async function receiveForm(request: IncomingMessage): Promise<Upload> {
  const parser = openParser(request.headers);
  const form: Form = {};
  const rest = new Promise<{ name: string | undefined }>((resolve, reject) => {
    const fail = (error: GatewayError): void => {
      reject(error);
      form.content?.destroy(error);
      parser.emit('refused', error);
      discardRest(request);
    };
    readParts(parser, form, fail);
    parser.on(
      'close',
      guarded(failing(fail), () => {
        if (form.content === undefined) fail(noFile());
        else resolve({ name: form.name ?? form.fileName });
      }),
    );
  });
  rest.catch(() => undefined); // whoever awaits it is told
  const taken = new Promise<string | undefined>((resolve, reject) => {
    parser.once('taken', resolve).once('refused', reject);
  });
  finished(request, { writable: false }, (error) => {
    if (error) parser.destroy(error);
  });
  request.pipe(parser);
  const declaredType = await taken;
  if (form.content === undefined) throw noFile();
  return { declaredType, content: form.content, rest };
}

/** Notes in the form what the parser finds, and fails at the first part that is wrong. */
function readParts(parser: busboy.Busboy, form: Form, fail: (error: GatewayError) => void): void {
  const failWith = failing(fail);
  parser.on(
    'field',
    guarded(failWith, (field: PartName, value: string, info: busboy.FieldInfo) => {
      const problem = fieldProblem(field, {
        truncated: info.valueTruncated || info.nameTruncated,
        isSecond: form.name !== undefined,
      });
      if (problem === undefined) form.name = value;
      else fail(problem);
    }),
  );
  parser.on(
    'file',
    guarded(
      failWith,
      (field: PartName, part: Readable, { filename, mimeType }: busboy.FileInfo) => {
        part.on('error', () => undefined); // the parser's own error says more
        const problem = fileProblem(field, { filename, isSecond: form.content !== undefined });
        if (problem === undefined) takeFile(form, { part, filename });
        else part.resume();
        if (problem === undefined) parser.emit('taken', declared(withoutParameters(mimeType)));
        else fail(problem);
      },
    ),
  );
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(
      limit,
      guarded(failWith, () => {
        fail(bad(null, 'the form has too many parts; send one file and, optionally, a name'));
      }),
    );
  }
  parser.on(
    'error',
    guarded(failWith, (error: unknown) => {
      fail(endedEarly(error));
    }),
  );
}

const failing =
  (fail: (error: GatewayError) => void) =>
  (error: unknown): void => {
    fail(GatewayError.from(error));
  };

function takeFile(
  form: Form,
  { part, filename }: { part: Readable; filename: string | undefined },
): void {
  form.content = detached(part);
  if (filename !== undefined && filename !== '') form.fileName = filename;
}

const noFile = (): GatewayError =>
  new GatewayError(
    'missing_parameter',
    'file is required: send the file in a form part of this name',
    { param: 'file' },
  );

function openParser(headers: IncomingHttpHeaders): busboy.Busboy {
  try {
    return busboy({ headers, limits, preservePath: true, defParamCharset: 'utf8' });
  } catch (error) {
    throw bad('content-type', 'content-type must be multipart/form-data with its boundary', error);
  }
}

/** busboy gives a part whose header has no name without one, whatever its types say. */
type PartName = string | undefined;

const unknownPart = (field: PartName, known: string): GatewayError => {
  const shown = field?.slice(0, 80);
  return shown === undefined
    ? bad(null, `a part of the form has no name; ${known}`)
    : new GatewayError('unknown_parameter', `${shown} is not a known part; ${known}`, {
        param: shown,
      });
};

function fileProblem(
  field: PartName,
  { filename, isSecond }: { filename: string | undefined; isSecond: boolean },
): GatewayError | undefined {
  if (field !== 'file') return unknownPart(field, 'send the file in a part named file');
  if (isSecond) return bad('file', 'file may appear only once; send one asset per request');
  return filename === undefined || filename === '' ? undefined : nameProblem(filename);
}

function fieldProblem(
  field: PartName,
  { truncated, isSecond }: { truncated: boolean; isSecond: boolean },
): GatewayError | undefined {
  if (field === 'file') {
    return bad('file', 'file must be a file, with a filename in its part; got a text field');
  }
  if (field !== 'name') return unknownPart(field, 'the parts are file and name');
  if (isSecond) return bad('name', 'name may appear only once');
  return truncated ? bad('name', nameRule) : undefined;
}

const nameRule = 'name must be 1 to 255 characters without slashes or control characters';

/** Undefined for a name that an asset may have: it is shown, and may become the name of a file. */
export const nameProblem = (name: string): GatewayError | undefined =>
  /^[^/\\\p{Cc}\p{Cs}]{1,255}$/u.test(name) && name !== '.' && name !== '..'
    ? undefined
    : bad('name', nameRule);
