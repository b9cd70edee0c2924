export interface Narrator {
  /** Says one thing that happens now, with the seconds since this process began. */
  readonly log: (line: string) => void;
  readonly hasColours: boolean;
  seconds(): number;
}

/** One voice for a command. `NO_COLOR` and anything that is not a terminal get plain text. */
export function createNarrator(
  stream: NodeJS.WriteStream,
  environment: NodeJS.ProcessEnv,
): Narrator {
  const hasColours = stream.isTTY && (environment['NO_COLOR'] ?? '') === '';
  const seconds = (): number => performance.now() / 1_000;
  const dim = (text: string): string => (hasColours ? `\u001b[2m${text}\u001b[22m` : text);
  return {
    hasColours,
    seconds,
    log: (line) => stream.write(`${dim(`${seconds().toFixed(1).padStart(6)} s`)}  ${line}\n`),
  };
}
