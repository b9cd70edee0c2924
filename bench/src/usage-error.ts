/** What is wrong with the options, in words. */
export class UsageError extends Error {}

/** Runs `read`; what it throws becomes a UsageError. */
export function readingOptions<Options>(read: () => Options): Options {
  try {
    return read();
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** The names of a list with commas, in the order of `known`. Throws for any other. */
export function chosenOf<Name extends string>(known: readonly Name[], text: string): Name[] {
  const wanted = text.split(',');
  const unknown = wanted.filter((name) => !(known as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new Error(`--only takes ${known.join(', ')}; got ${unknown.join(', ')}`);
  }
  return known.filter((name) => wanted.includes(name));
}

/** Throws for anything but a number above 0. */
export function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} takes a number above 0; got ${text}`);
  return value;
}
