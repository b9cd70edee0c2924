/**
 * Does something for a key at once, and again at the earliest after `everyMs` and not before it has
 * ended, however often it is asked for meanwhile.
 */
export function atMostEvery<Key>(
  everyMs: number,
  action: (key: Key) => Promise<unknown>,
  nameOf: (key: Key) => string,
): (key: Key) => void {
  const running = new Set<string>();
  const askedAgain = new Set<string>();
  const repeat = async (key: Key, name: string): Promise<void> => {
    running.add(name);
    try {
      do {
        await Promise.all([action(key), new Promise((resolve) => setTimeout(resolve, everyMs))]);
      } while (askedAgain.delete(name));
    } finally {
      running.delete(name);
    }
  };
  return (key) => {
    const name = nameOf(key);
    if (running.has(name)) askedAgain.add(name);
    else void repeat(key, name);
  };
}
