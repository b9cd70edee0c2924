import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ConsoleFile } from '../http/routes/console.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The built console, read once, by path; empty where nobody has built it. */
export function readConsoleFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    paths.flatMap((path) => {
      const type = types[extname(path)];
      return type === undefined ? [] : [[path.replaceAll('\\', '/'), fileAt(folder, path, type)]];
    }),
  );
}

function fileAt(folder: string, path: string, type: string): ConsoleFile {
  const body = readFileSync(join(folder, path));
  const compressed = (ending: string): Buffer | undefined => {
    const file = join(folder, `${path}.${ending}`);
    return existsSync(file) ? readFileSync(file) : undefined;
  };
  return {
    type,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    body,
    br: compressed('br'),
    gzip: compressed('gz'),
  };
}
