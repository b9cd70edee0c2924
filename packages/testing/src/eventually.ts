/**
 * Repeats `look` until it neither throws nor rejects, and resolves with its value; after the deadline its
 * last error is thrown.
 */
export async function eventually<Value>(
  look: () => Value | Promise<Value>,
  { withinMs = 20_000, everyMs = 25 } = {},
): Promise<Value> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, everyMs);
      });
    }
  }
}
