/**
 * Goes on with a value that is usually there already: at once, or when it arrives. Throws, or rejects
 * with, what the step throws. An async function costs a turn of promises and half a kilobyte even
 * where there is nothing to wait for.
 */
export const nowOrLater = <Value, Next>(
  value: Value | Promise<Value>,
  step: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> => (value instanceof Promise ? value.then(step) : step(value));
