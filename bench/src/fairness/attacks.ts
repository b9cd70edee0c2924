import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { AttackJob, AttackName } from './protocol.ts';
import { sendRaw, type Count, type RawRequest } from './raw-request.ts';

const mebibyte = 1_048_576;
/** After a refusal: an attacker who has nothing better to do. */
const retryMs = 50;

export interface AttackContext extends Omit<AttackJob, 'kind' | 'name'> {
  readonly signal: AbortSignal;
  readonly count: Count;
}

export interface Attack {
  readonly title: string;
  /** Whether the api's memory is watched for a minute afterwards. */
  readonly memory: boolean;
  /** Until the signal fires. */
  run(context: AttackContext): Promise<void>;
}

type Shot = Omit<RawRequest, 'url' | 'signal'>;

/** So many callers that each repeat one request of their own until the attack is over. */
async function repeat(
  { url, signal, count }: AttackContext,
  callers: number,
  shot: (turn: number) => Shot,
): Promise<void> {
  const call = async (caller: number): Promise<void> => {
    for (let turn = caller; !signal.aborted; turn += callers) {
      let outcome = '';
      await sendRaw({ url, signal, ...shot(turn) }, (given) => {
        outcome = given;
        count(given);
      });
      if (outcome !== '200') await sleep(retryMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
}

const json = (apiKey: string, length: number): Record<string, string> => ({
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'content-length': String(length),
});

/** 64 MiB of brackets in 64 kB of gzip, and 8 MiB of them as they are. */
async function nestedJson(context: AttackContext): Promise<void> {
  const { apiKey } = context;
  const packed = gzipSync(Buffer.alloc(64 * mebibyte - 1, '['), { level: 9 });
  const plain = Buffer.alloc(8 * mebibyte, '[');
  await repeat(context, 4, (turn) => {
    const isPacked = turn % 2 === 0;
    const body = isPacked ? packed : plain;
    return {
      method: 'POST',
      path: '/v1/videos',
      headers: {
        ...json(apiKey, body.length),
        ...(isPacked && { 'content-encoding': 'gzip' }),
      },
      body: [body],
    };
  });
}

/** Forty bodies that lack their last MiB, announced and in chunks. */
async function unfinishedBodies(context: AttackContext): Promise<void> {
  const { apiKey } = context;
  const piece = Buffer.alloc(mebibyte, 'x');
  const chunk = Buffer.concat([
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from('\r\n'),
  ]);
  await repeat(context, 40, (turn) => {
    const [path, mebibytes] = turn % 2 === 0 ? ['/v1/videos', 64] : ['/v1/messages', 32];
    const isChunked = turn % 4 > 1;
    const { 'content-length': length = '', ...rest } = json(apiKey, mebibytes * mebibyte);
    return {
      method: 'POST',
      path,
      headers: {
        ...rest,
        ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
      },
      body: new Array<Buffer>(mebibytes - 1).fill(isChunked ? chunk : piece),
      holdMs: 30_000,
    };
  });
}

/** 16 MiB of the smallest values there are, in a field that a text request may have. */
async function largeBodies(context: AttackContext): Promise<void> {
  const { apiKey, model } = context;
  const [before = '', after = ''] = JSON.stringify({
    model,
    max_tokens: 10,
    messages: [{ role: 'user', content: 'hello' }],
    tools: [{ name: 'tool', input_schema: { type: 'object', enum: '#' } }],
  }).split('"#"');
  const values = `[${'0,'.repeat(8 * mebibyte)}0]`;
  const body = Buffer.from(`${before}${values}${after}`);
  await repeat(context, 8, () => ({
    method: 'POST',
    path: '/v1/messages',
    headers: json(apiKey, body.length),
    body: [body],
  }));
}

/** The word at which the bench's upstream fails. */
export const failingWord = 'provoke-a-500';

async function failingUpstream(context: AttackContext): Promise<void> {
  const { apiKey, model } = context;
  await repeat(context, 4, (turn) => {
    const body = Buffer.from(
      JSON.stringify({
        model,
        max_tokens: 10,
        messages: [{ role: 'user', content: `${failingWord} ${turn}` }],
      }),
    );
    return {
      method: 'POST',
      path: '/v1/messages',
      headers: json(apiKey, body.length),
      body: [body],
    };
  });
}

/** 80 kB of an MP4 whose boxes are all empty. */
async function hostileMedia(context: AttackContext): Promise<void> {
  const { apiKey } = context;
  const emptyBox = Buffer.from([0, 0, 0, 8, ...Buffer.from('free')]);
  const fileType = Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypisom'),
    Buffer.from([0, 0, 2, 0]),
    Buffer.from('isommp41'),
  ]);
  const file = Buffer.concat([fileType, ...new Array<Buffer>(9_995).fill(emptyBox)]);
  await repeat(context, 4, () => ({
    method: 'POST',
    path: '/v1/assets',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'video/mp4',
      'content-length': String(file.length),
    },
    body: [file],
  }));
}

/** Forty anonymous callers of what only operators need. */
async function operationsRoutes(context: AttackContext): Promise<void> {
  await repeat(context, 40, (turn) => ({
    method: 'GET',
    path: ['/metrics', '/readyz'][turn % 2] ?? '',
    headers: {},
  }));
}

async function unknownKeys(context: AttackContext): Promise<void> {
  await repeat(context, 20, () => ({
    method: 'GET',
    path: '/v1/videos',
    headers: { authorization: `Bearer sk-gw-${randomBytes(24).toString('base64url')}` },
  }));
}

export const attacks: Readonly<Record<AttackName, Attack>> = {
  'nested-json': { title: 'nested JSON, packed and plain', memory: true, run: nestedJson },
  'unfinished-bodies': {
    title: '40 bodies never finished',
    memory: true,
    run: unfinishedBodies,
  },
  'large-bodies': { title: 'bodies of 16 MiB', memory: true, run: largeBodies },
  'failing-upstream': {
    title: 'requests that make the upstream fail',
    memory: false,
    run: failingUpstream,
  },
  'hostile-media': { title: 'an MP4 of empty boxes', memory: false, run: hostileMedia },
  'operations-routes': {
    title: '40 anonymous callers of /metrics and /readyz',
    memory: false,
    run: operationsRoutes,
  },
  'unknown-keys': { title: 'keys that do not exist', memory: false, run: unknownKeys },
};
