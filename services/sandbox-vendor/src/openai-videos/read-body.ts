import type { Request } from 'express';
import { failures, TextFailure } from '../text/failures.ts';

export interface UploadedImage {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The body of a creation: every value is text, whether it came as a form or as JSON. */
export interface CreateFields {
  readonly model?: string;
  readonly prompt?: string;
  readonly seconds?: string;
  readonly size?: string;
  readonly image?: UploadedImage;
}

const texts: readonly string[] = ['model', 'prompt', 'seconds', 'size'];

const refuse = (param: string, message: string): TextFailure =>
  new TextFailure(400, message, { param, code: 'invalid_value' });

/**
 * Reads a form, with the image as a file in it, or JSON, which has no image here. Throws what the
 * vendor's response to anything else.
 */
export async function readCreateFields(request: Request): Promise<CreateFields> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.get('content-type') ?? '';
  if (!type.startsWith('multipart/form-data')) return readJson(bytes);
  const whole = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } });
  // Deprecated for servers that strangers send large forms to; this body is bounded and in memory.
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
  const form = await whole.formData().catch(() => {
    throw new TextFailure(400, 'Could not parse multipart form');
  });
  const fields: Record<string, string | UploadedImage> = {};
  for (const [name, value] of form) {
    if (name === 'input_reference' && typeof value !== 'string') {
      fields['image'] = { contentType: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
    } else if (texts.includes(name) && typeof value === 'string') fields[name] = value;
    else throw unknown(name);
  }
  return fields;
}

function readJson(bytes: Buffer): CreateFields {
  const body = parse(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw failures.chat['not-object']();
  }
  for (const [name, value] of Object.entries(body)) {
    if (!texts.includes(name)) throw unknown(name);
    if (typeof value !== 'string') {
      throw new TextFailure(400, `Invalid type for '${name}': expected a string.`, {
        param: name,
        code: 'invalid_type',
      });
    }
  }
  return body;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw failures.chat['not-json']();
  }
}

const unknown = (name: string): TextFailure =>
  name.startsWith('input_reference')
    ? refuse('input_reference', 'The sandbox takes input_reference as an uploaded file only.')
    : new TextFailure(400, `Unknown parameter: '${name}'.`, {
        param: name,
        code: 'unknown_parameter',
      });
