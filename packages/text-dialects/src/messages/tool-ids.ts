import { createHash } from 'node:crypto';

const unsafe = /[^a-zA-Z0-9_-]/g;

/**
 * Names that fit `[a-zA-Z0-9_-]` and a length, for tools and for the ids of their calls. One that
 * fits stays as it is; another gets its bad characters replaced and a hash of the whole behind it.
 * The same text always gives the same name, and two texts never the same.
 */
export function createSafeNames(
  all: readonly string[],
  maxLength: number,
): (text: string) => string {
  if (all.length === 0) return (text) => text;
  const fits = (text: string): boolean =>
    text !== '' && text.length <= maxLength && text.search(unsafe) < 0;
  const texts = [...new Set(all)];
  const safe = new Map(texts.filter(fits).map((text) => [text, text]));
  const taken = new Set(safe.values());
  for (const text of texts) if (!safe.has(text)) safe.set(text, rename(text, { maxLength, taken }));
  return (text) => safe.get(text) ?? text;
}

function rename(
  text: string,
  { maxLength, taken }: { maxLength: number; taken: Set<string> },
): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const readable = text.replace(unsafe, '_');
  // Six digits tell apart what a conversation holds; more are taken should they not.
  for (let digits = 6; ; digits += 6) {
    const name = `${readable.slice(0, maxLength - 1 - digits)}_${hash.slice(0, digits)}`;
    if (!taken.has(name) || digits >= hash.length) {
      taken.add(name);
      return name;
    }
  }
}
