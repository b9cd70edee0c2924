export {
  openConfiguration,
  perVersion,
  type LiveConfiguration,
  type WatchOptions,
} from './live-configuration.ts';
