/**
 * Keeps what `load` returned for each name for `forMs`, and calls it once when many ask at the
 * same time.
 */
export function cached<Value>(
  load: (name: string) => Promise<Value>,
  forMs: number,
): (name: string) => Promise<Value> {
  const values = new Map<string, { readonly value: Promise<Value>; readonly until: number }>();
  return (name) => {
    const known = values.get(name);
    if (known !== undefined && known.until > performance.now()) return known.value;
    const value = load(name);
    values.set(name, { value, until: performance.now() + forMs });
    value.catch(() => values.delete(name));
    return value;
  };
}
