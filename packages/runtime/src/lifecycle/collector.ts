import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Young objects, in a millisecond or two; or all of them, in 30 to 100 ms. */
export type Collect = (type: 'minor' | 'major') => void;

/** V8's own collector, which Node hides unless it is asked for. */
export function openCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
  return (type) => {
    // Node 20 takes every argument for a wish for young objects alone.
    if (type === 'minor') collect({ type });
    else collect();
  };
}
