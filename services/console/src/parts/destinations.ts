import type { IconName } from './icon.tsx';

export interface Destination {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
}

/** Where one can go, in the order of the menu. */
export const destinations: readonly Destination[] = [
  { path: '/playground', name: 'Playground', icon: 'playground' },
  { path: '/text', name: 'Text', icon: 'text' },
  { path: '/videos', name: 'Videos', icon: 'videos' },
  { path: '/assets', name: 'Assets', icon: 'picture' },
  { path: '/callbacks', name: 'Callbacks', icon: 'send' },
  { path: '/usage', name: 'Usage', icon: 'chart' },
  { path: '/billing', name: 'Billing', icon: 'coins' },
  { path: '/models', name: 'Models', icon: 'models' },
  { path: '/keys', name: 'Keys', icon: 'key' },
];
