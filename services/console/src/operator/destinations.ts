import type { Destination } from '../parts/destinations.ts';

/** Where an operator can go, in the order of the menu. */
export const operatorDestinations: readonly Destination[] = [
  { path: '/operator/now', name: 'Now', icon: 'pulse' },
  { path: '/operator/videos', name: 'Videos', icon: 'videos' },
  { path: '/operator/accounts', name: 'Accounts', icon: 'people' },
  { path: '/operator/callbacks', name: 'Callbacks', icon: 'send' },
  { path: '/operator/books', name: 'Books', icon: 'coins' },
  { path: '/operator/providers', name: 'Providers', icon: 'models' },
  { path: '/operator/journal', name: 'Journal', icon: 'journal' },
];
