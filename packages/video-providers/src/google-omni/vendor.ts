import type { VideoVendor } from '../vendor.ts';
import { googleOmniBounds, googleOmniCapabilities } from './bounds.ts';
import { createGoogleOmniProvider, headersOf } from './provider.ts';

/** Gemini Omni, by Google's Interactions API. */
export const googleOmni: VideoVendor = {
  kind: 'google-omni',
  bounds: googleOmniBounds,
  capabilities: googleOmniCapabilities,
  create: createGoogleOmniProvider,
  watermark: 'SynthID',
  credentialCheck: ({ apiKey }) => ({
    path: '/models?pageSize=1',
    headers: headersOf(apiKey),
    // The question has nothing else that could be wrong.
    refusals: [400],
  }),
};
