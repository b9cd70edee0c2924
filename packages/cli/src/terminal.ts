/** What a command reads and writes, and what it knows of its surroundings. */
export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const codes = { bold: '1', dim: '2', red: '31', green: '32' } as const;

/** Text in a colour, where the output is a terminal and `NO_COLOR` is not set. */
export const coloured = (
  text: string,
  colour: keyof typeof codes,
  { output, env }: { readonly output: Output; readonly env: Terminal['env'] },
): string =>
  output.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
    ? `\u001B[${codes[colour]}m${text}\u001B[0m`
    : text;

/** A table with columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Quota, tokens and bytes as people write them. */
export const numberText = (value: number): string => value.toLocaleString('en-US');

export const writeJson = ({ stdout }: Pick<Terminal, 'stdout'>, value: unknown): void => {
  stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
};

/** Tells what a command has found: to programs as JSON, to people in words. */
export function tell(
  { stdout }: Pick<Terminal, 'stdout'>,
  { json }: { readonly json: boolean },
  { found, words }: { readonly found: unknown; readonly words: () => string },
): void {
  if (json) writeJson({ stdout }, found);
  else stdout.write(words());
}

/** What a vendor, a receiver or a customer wrote, without what a terminal would obey. */
export const harmless = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '\uFFFD');

/** Everything that arrives on an input, as text. */
export async function readAll(input: Input): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of input) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
