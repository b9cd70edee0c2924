import type { VideoVendor } from '../vendor.ts';
import { runwayBounds, runwayCapabilities } from './bounds.ts';
import { createRunwayProvider } from './provider.ts';
import { headersOf } from './version.ts';

/** Runway's developer interface, with its own models and those that it hosts. */
export const runway: VideoVendor = {
  kind: 'runway',
  bounds: runwayBounds,
  capabilities: runwayCapabilities,
  create: (connection) => createRunwayProvider(connection),
  credentialCheck: ({ apiKey }) => ({ path: '/v1/organization', headers: headersOf(apiKey) }),
};
