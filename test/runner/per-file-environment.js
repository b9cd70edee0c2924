import { TestEnvironment } from 'jest-environment-node';
import { openHandles, refuseLeftOvers, watchTimers } from './handle-guard.js';

/** Node's environment of jest, with modules and a global scope for each file, and the guard. */
export default class PerFileEnvironment extends TestEnvironment {
  #open = openHandles();
  #timers = watchTimers(this.global);
  #failures = 0;

  handleTestEvent({ name }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.#failures += 1;
  }

  async teardown() {
    this.#timers.stop();
    await super.teardown();
    // A test that fails may not come to its closing; the reason why it failed must be seen.
    if (this.#failures === 0) await refuseLeftOvers(this.#open, this.#timers);
  }
}
