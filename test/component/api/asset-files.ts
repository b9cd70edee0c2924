import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { request as httpRequest } from 'node:http';
import type { ApiUnderTest } from './harness.ts';

/** A real PNG of 1 × 1. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** One second of silence: 8000 samples of one byte. */
export const wav = Buffer.concat([
  Buffer.from('RIFF'),
  uint32(36 + 8_000),
  Buffer.from('WAVEfmt '),
  uint32(16),
  Buffer.from([1, 0, 1, 0]),
  uint32(8_000),
  uint32(8_000),
  Buffer.from([1, 0, 8, 0]),
  Buffer.from('data'),
  uint32(8_000),
  Buffer.alloc(8_000, 128),
]);

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A PNG of this many bytes: what follows its end is ignored by everybody. */
export const pngOf = (bytes: number): Buffer =>
  Buffer.concat([png, Buffer.alloc(bytes - png.length, 7)]);

export interface AssetBody {
  readonly id: string;
  readonly sha256: string;
  readonly error?: { readonly code: string; readonly param: string | null };
  readonly [field: string]: unknown;
}

export interface AssetResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly body: AssetBody;
}

export async function send(
  url: string,
  options: RequestInit & { readonly apiKey: string },
): Promise<AssetResponse> {
  const { apiKey, headers, ...rest } = options;
  const response = await fetch(url, {
    ...rest,
    headers: { authorization: `Bearer ${apiKey}`, ...(headers as Record<string, string>) },
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    headers: response.headers,
    body: JSON.parse(text) as AssetBody,
  };
}

/** A form with these parts, as a browser sends it. */
export function formOf(
  parts: Readonly<Record<string, Blob | string>>,
  fileName = 'cat.png',
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, fileName);
  }
  return form;
}

export const fileOf = (bytes: Buffer, type = 'image/png'): Blob =>
  new Blob([new Uint8Array(bytes)], { type });

/** Every file in the storage, and every row of an asset. */
export async function leftOvers({
  storageDir,
  database,
}: ApiUnderTest): Promise<{ files: string[]; rows: number }> {
  const files = (await readdir(storageDir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(storageDir, path.join(parentPath, name)));
  const { rows } = await database.pool.query<{ count: number }>(
    'SELECT count(*) AS count FROM asset',
  );
  return { files, rows: rows[0]!.count };
}

/**
 * Rows of one account's assets, and files of assets that no row names: what an upload leaves that
 * came to nothing, whatever others do meanwhile.
 */
export async function traces(
  { storageDir, database }: ApiUnderTest,
  accountId: string,
): Promise<{ rows: number; orphans: string[] }> {
  const files = (await readdir(storageDir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(storageDir, path.join(parentPath, name)));
  const { rows } = await database.pool.query<{ key: string; accountId: string }>(
    'SELECT storage_key AS key, account_id AS "accountId" FROM asset',
  );
  const named = new Set(rows.map(({ key }) => key));
  return {
    rows: rows.filter((row) => row.accountId === accountId).length,
    orphans: files.filter((file) => file.startsWith('assets/') && !named.has(file)),
  };
}

/** Bytes as they are, which no form of a library would send; returns the status and the body. */
export function sendRaw(
  url: string,
  {
    apiKey,
    type,
    bytes,
    breakOff = false,
  }: { apiKey: string; type: string; bytes: Buffer; breakOff?: boolean },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      `${url}/v1/assets`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': type,
          'content-length': String(bytes.length + (breakOff ? 1_000 : 0)),
        },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text });
        });
      },
    );
    outgoing.on('error', (error) => {
      if (breakOff) resolve({ status: 0, text: error.message });
      else reject(error);
    });
    if (!breakOff) outgoing.end(bytes);
    else {
      outgoing.write(bytes, () => {
        setImmediate(() => outgoing.destroy());
      });
    }
  });
}
