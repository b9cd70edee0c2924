import type { Configuration } from '@gateway/contracts';
import type { LiveConfiguration } from '@gateway/runtime';

/** A configuration that no file can change, for a service under test. */
export const fixedConfiguration = (configuration: Configuration): LiveConfiguration => ({
  current: () => configuration,
  standing: () => ({
    generation: 1,
    hash: 'fixed',
    since: '1970-01-01T00:00:00.000Z',
    refused: null,
  }),
  watch: () => ({ name: 'configuration', stop: () => Promise.resolve() }),
});
