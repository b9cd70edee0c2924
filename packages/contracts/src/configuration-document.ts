import { LineCounter, isNode, parseDocument, type Document } from 'yaml';

export interface ConfigurationProblem {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly message: string;
}

export interface ConfigurationDocument {
  readonly problems: readonly ConfigurationProblem[];
  /** The file as plain data; `${NAME}` stands as it was written. */
  readonly value: unknown;
  /** The line of the deepest part on the path that the file really has. */
  lineOf(path: readonly string[]): number;
}

/**
 * Reads the text as YAML, with `${NAME}` allowed without quotes also where a brace would begin a
 * map.
 */
export function readDocument(text: string): ConfigurationDocument {
  const lines = new LineCounter();
  const document = parseDocument(hideReferences(text), { lineCounter: lines, uniqueKeys: true });
  return {
    problems: document.errors.map((error) => ({
      line: lines.linePos(error.pos[0]).line,
      message: showReferences(error.message.split('\n')[0] ?? 'not YAML'),
    })),
    value: document.errors.length > 0 ? undefined : showReferencesIn(document.toJS()),
    lineOf: (path) => findLine(document, lines, path),
  };
}

/** Braces that are no YAML, of the same length, so that every line and column stays what it is. */
const [open, close] = ['\uE000', '\uE001'];
const hideReferences = (text: string): string =>
  text.replaceAll(/\$\{([A-Z][A-Z0-9_]*)\}/g, `$$${open}$1${close}`);
const showReferences = (text: string): string => text.replaceAll(open, '{').replaceAll(close, '}');

function showReferencesIn(value: unknown): unknown {
  if (typeof value === 'string') return showReferences(value);
  if (Array.isArray(value)) return value.map(showReferencesIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [showReferences(key), showReferencesIn(inner)]),
  );
}

function findLine(document: Document, lines: LineCounter, path: readonly string[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
