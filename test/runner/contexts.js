import { createRequire } from 'node:module';

/** As CommonJS sees it, whose exports can be replaced for a moment. */
const asyncHooks = createRequire(import.meta.url)('node:async_hooks');

/**
 * Loads what makes stores of its own for the context of asynchronous calls, and ends them with `end`.
 * Each that was used and not ended makes every promise of the process dearer, for as long as it lives:
 * those of a hundred test files took an eighth of all time.
 *
 * @template Loaded
 * @param {() => Loaded} load
 * @returns {{ loaded: Loaded, end: () => void }}
 */
export function loadWithContexts(load) {
  const { AsyncLocalStorage } = asyncHooks;
  const made = [];
  asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
    constructor() {
      super();
      made.push(this);
    }
  };
  try {
    const loaded = load();
    return {
      loaded,
      end() {
        for (const context of made) context.disable();
      },
    };
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}
