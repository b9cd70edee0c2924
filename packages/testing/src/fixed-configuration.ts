import type { Configuration } from '@gateway/contracts';
import type { LiveConfiguration } from '@gateway/runtime';

/** A configuration that no file can change, for a service under test. */
export const fixedConfiguration = (configuration: Configuration): LiveConfiguration => ({
  current: () => configuration,
  watch: () => ({ name: 'configuration', stop: () => Promise.resolve() }),
});
