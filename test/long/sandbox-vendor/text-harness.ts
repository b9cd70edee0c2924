import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { RunningSandbox } from '@gateway/sandbox-vendor';

/** A PNG of one pixel, 68 bytes. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
export const pixelBytes = Buffer.byteLength(pixel, 'base64');

export const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city', 'days'],
};

interface Block {
  readonly type: string;
  readonly text: string;
  readonly thinking: string;
  readonly name?: string;
}

interface Choice {
  readonly index: number;
  readonly message: {
    readonly content: string | null;
    readonly tool_calls: readonly { readonly function: { readonly arguments: string } }[];
  };
}

/** The fields of every kind of response, of which each response has some. */
export interface WireBody {
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly param: string | null;
    readonly code: string | null;
  };
  readonly content: readonly [Block, ...Block[]];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: { readonly type: string };
  readonly choices: readonly [Choice, ...Choice[]];
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_creation_input_tokens: number;
    readonly cache_read_input_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  };
  readonly text: { readonly models: readonly string[]; readonly directives: readonly object[] };
}

export interface Raw {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** undefined when the response is not JSON. */
  readonly body: WireBody;
}

/** The events of a stream that have data, with their names. */
export const eventsOf = (
  text: string,
): readonly { readonly name: string | undefined; readonly data: StreamEvent }[] =>
  [...text.matchAll(/(?:event: (\w+)\n)?data: (\{.*\})\n\n/g)].map(([, name, data]) => ({
    name,
    data: JSON.parse(String(data)) as StreamEvent,
  }));

interface StreamEvent {
  readonly type: string;
  readonly message: { readonly usage: { readonly output_tokens: number } };
  readonly delta?: {
    readonly type?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string;
  };
  readonly choices: readonly {
    readonly delta: {
      readonly tool_calls?: readonly {
        readonly id?: string;
        readonly function: { readonly arguments: string };
      }[];
    };
  }[];
  readonly usage?: object | null;
}

const jsonOf = (text: string): WireBody => {
  try {
    return JSON.parse(text) as WireBody;
  } catch {
    return undefined as unknown as WireBody; // a test that reads it then fails
  }
};

export interface TextLog {
  readonly active: number;
  readonly started: number;
  readonly finished: number;
  readonly aborted: number;
  readonly broken: number;
  readonly requests: readonly {
    readonly [field: string]: unknown;
    readonly headers: Record<string, string>;
  }[];
}

/** Calls the vendor without an SDK, to see its bytes. */
export function rawClient({ url, apiKey }: RunningSandbox, fixed: Record<string, string> = {}) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    ...fixed,
  };
  const send = async (path: string, init: RequestInit): Promise<Raw> => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  };
  return {
    post: (path: string, body: unknown, more: Record<string, string> = {}): Promise<Raw> =>
      send(path, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path: string, more: Record<string, string> = {}): Promise<Raw> =>
      send(path, { headers: { ...headers, ...more } }),
    log: async (): Promise<TextLog> =>
      JSON.parse((await send('/control/text', {})).text) as TextLog,
    resetLog: (): Promise<Raw> => send('/control/text', { method: 'DELETE' }),
    addFault: (fault: object): Promise<Raw> =>
      send('/control/faults', { method: 'POST', headers, body: JSON.stringify(fault) }),
    /** Begins a request and resolves with the response as soon as its headers are there. */
    open: (
      path: string,
      body: unknown,
    ): Promise<{ request: ClientRequest; response: IncomingMessage }> =>
      new Promise((resolve, reject) => {
        const request = httpRequest(
          `${url}${path}`,
          { method: 'POST', headers, agent: false },
          (response) => {
            resolve({ request, response });
          },
        );
        request.on('error', reject);
        request.end(JSON.stringify(body));
      }),
  };
}
