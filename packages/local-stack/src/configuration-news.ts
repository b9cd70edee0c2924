import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const checkEveryMs = 500;
const longestRead = 1_000_000;

/**
 * Tells when a service takes a changed configuration over or refuses it, from what it logs after this
 * call. Ends with the function that is returned.
 */
export function followConfiguration(
  { logFile, shownFile }: { readonly logFile: string; readonly shownFile: string },
  log: (line: string) => void,
): () => void {
  const read = readerOf(logFile);
  read(); // what was logged before
  let unfinished = '';
  const timer = setInterval(() => {
    const lines = (unfinished + read()).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const news = newsIn(line, shownFile);
      if (news !== undefined) log(news);
    }
  }, checkEveryMs);
  return () => {
    clearInterval(timer);
  };
}

/** Each call gives what was appended since the last one; a shorter file is read from its start. */
function readerOf(path: string): () => string {
  let at = 0;
  const decoder = new TextDecoder();
  return () => {
    const descriptor = openSync(path, 'r');
    try {
      const { size } = fstatSync(descriptor);
      if (size < at) at = 0;
      const from = Math.max(at, size - longestRead);
      const bytes = Buffer.alloc(size - from);
      at = from + readSync(descriptor, bytes, 0, bytes.length, from);
      return decoder.decode(bytes, { stream: true });
    } finally {
      closeSync(descriptor);
    }
  };
}

/** What a line of a service's log says about the configuration; undefined for all other lines. */
export function newsIn(line: string, shownFile: string): string | undefined {
  if (!line.includes('"configuration ')) return undefined;
  const { message, problems } = parsed(line);
  if (message === 'configuration applied') return `${shownFile} was changed: it is in use now`;
  if (message !== 'configuration refused, the previous version stays in use') return undefined;
  const list = Array.isArray(problems) ? problems.map(String) : [String(problems)];
  return [
    `${shownFile} was changed and is refused; the version before stays in use:`,
    ...list,
  ].join('\n           ');
}

function parsed(line: string): { readonly message?: unknown; readonly problems?: unknown } {
  try {
    return JSON.parse(line) as object;
  } catch {
    return {}; // half a line, after a crash
  }
}
