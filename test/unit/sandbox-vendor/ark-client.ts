import type { RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';
import { createFile, MP4BoxBuffer, type ISOFile, type Movie } from 'mp4box';

export interface TaskObject {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly code: string };
  readonly content?: { readonly video_url?: string; readonly last_frame_url?: string };
  readonly duration?: number;
  readonly [field: string]: unknown;
}

export interface ArkResponse<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

interface ErrorResponse {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly param?: string;
    readonly type: string;
  };
  readonly request_id: string;
}

/** The body of a creation with this prompt. */
export const aCreation = (prompt: string, fields: object = {}): object => ({
  model: 'sandbox-video',
  content: [{ type: 'text', text: prompt }],
  duration: 4,
  ...fields,
});

/** Calls the vendor as a gateway does. */
export function arkClient({ url, apiKey }: RunningSandbox) {
  const call = async <Body>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<ArkResponse<Body>> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  };
  const tasks = '/api/v3/contents/generations/tasks';
  const get = (taskId: string): Promise<ArkResponse<TaskObject>> =>
    call<TaskObject>('GET', `${tasks}/${taskId}`);
  const create = async (body: object): Promise<string> => {
    const response = await call<{ id: string } & ErrorResponse>('POST', tasks, body);
    if (response.status !== 200) {
      throw new Error(
        `create returned ${response.status} ${response.body.error.code} ${response.body.error.message}`,
      );
    }
    return response.body.id;
  };
  const until = (taskId: string, status: string): Promise<TaskObject> =>
    eventually(async () => {
      const { body } = await get(taskId);
      if (body.status !== status) {
        throw new Error(`the task is ${body.status}, not ${status}: ${JSON.stringify(body.error)}`);
      }
      return body;
    });
  return {
    call,
    get,
    create,
    refused: (body: unknown): Promise<ArkResponse<ErrorResponse>> =>
      call<ErrorResponse>('POST', tasks, body),
    list: (query = ''): Promise<ArkResponse<{ total: number; items: readonly TaskObject[] }>> =>
      call('GET', `${tasks}${query}`),
    remove: (taskId: string): Promise<ArkResponse<ErrorResponse | undefined>> =>
      call('DELETE', `${tasks}/${taskId}`),
    until,
    /** Creates a task and waits for its success. */
    finished: async (body: object): Promise<TaskObject> => until(await create(body), 'succeeded'),
    stats: async (): Promise<Record<string, unknown>> =>
      (await call<Record<string, unknown>>('GET', '/control/stats')).body,
  };
}

/** Reads an MP4 with a parser that has nothing to do with the one that wrote it. */
export function readMp4(file: Uint8Array): Promise<Movie> {
  return new Promise((resolve, reject) => {
    const parser = createFile();
    parser.onReady = resolve;
    parser.onError = (module, message) => {
      reject(new Error(`${module}: ${message}`));
    };
    feed(parser, file);
  });
}

/**
 * The kinds of the NAL units of each frame; throws when a frame's bytes are not a whole number of
 * units.
 */
export function nalKindsOf(file: Uint8Array): readonly (readonly number[])[] {
  const parser = createFile();
  feed(parser, file);
  const bytes = Buffer.from(file);
  return parser.getTrackSamplesInfo(1).map(({ offset, size }) => {
    const kinds: number[] = [];
    let at = offset;
    while (at < offset + size) {
      kinds.push(bytes.readUInt8(at + 4) & 31);
      at += 4 + bytes.readUInt32BE(at);
    }
    if (at !== offset + size) throw new Error(`the frame at ${offset} is not whole`);
    return kinds;
  });
}

function feed(parser: ISOFile, file: Uint8Array): void {
  const own = new ArrayBuffer(file.length);
  new Uint8Array(own).set(file);
  parser.appendBuffer(MP4BoxBuffer.fromArrayBuffer(own, 0), true);
  parser.flush();
}

/** Seconds of the whole movie. */
export const secondsOf = ({ duration, timescale }: Movie): number => duration / timescale;
