import type { VendorCapabilities, VideoProviderKind } from '@gateway/contracts';
import { createArkProvider } from './ark/provider.ts';
import { arkCapabilities } from './ark/request.ts';
import { createMiniMaxProvider } from './minimax/provider.ts';
import { minimaxCapabilities } from './minimax/request.ts';
import { createOpenaiVideosProvider } from './openai/provider.ts';
import { openaiVideosCapabilities } from './openai/request.ts';
import type { ProviderConnection, VideoProvider } from './port.ts';

interface ProviderEntry {
  readonly create: (connection: ProviderConnection) => VideoProvider;
  readonly capabilities: VendorCapabilities;
}

/** Every vendor that can be configured: a kind without an adapter does not compile. */
export type ProviderTable = Readonly<Record<VideoProviderKind, ProviderEntry>>;

const providers: ProviderTable = {
  ark: { create: createArkProvider, capabilities: arkCapabilities },
  minimax: { create: createMiniMaxProvider, capabilities: minimaxCapabilities },
  'openai-videos': { create: createOpenaiVideosProvider, capabilities: openaiVideosCapabilities },
};

/** A provider for one vendor account. It opens no connection until it is used. */
export const createVideoProvider = (
  kind: VideoProviderKind,
  connection: ProviderConnection,
): VideoProvider => providers[kind].create(connection);

/** What the vendor's format can express, known without an account. */
export const capabilitiesOf = (kind: VideoProviderKind): VendorCapabilities =>
  providers[kind].capabilities;
