import type { CostRules } from '@gateway/domain';
import type { VendorScript } from '../../contracts/vendor-script.ts';
import { arkScript } from '../../integration/video-providers/ark-script.ts';
import { dashscopeScript } from '../../integration/video-providers/dashscope-script.ts';
import { falScript } from '../../integration/video-providers/fal-script.ts';
import { googleOmniScript } from '../../integration/video-providers/google-omni-script.ts';
import { klingScript } from '../../integration/video-providers/kling-script.ts';
import { lumaScript } from '../../integration/video-providers/luma-script.ts';
import { minimaxScript } from '../../integration/video-providers/minimax-script.ts';
import { openaiVideosScript } from '../../integration/video-providers/openai-videos-script.ts';
import { runwayScript } from '../../integration/video-providers/runway-script.ts';
import { viduScript } from '../../integration/video-providers/vidu-script.ts';
import { xaiScript } from '../../integration/video-providers/xai-script.ts';

/** The responses of each kind of vendor, with which the contract suite of its adapter is run too. */
export const wireFormats = {
  ark: arkScript,
  dashscope: dashscopeScript,
  fal: falScript,
  'google-omni': googleOmniScript,
  kling: klingScript,
  luma: lumaScript,
  minimax: minimaxScript,
  'openai-videos': openaiVideosScript,
  runway: runwayScript,
  vidu: viduScript,
  xai: xaiScript,
} satisfies Readonly<Record<string, VendorScript>>;

export type WireKind = keyof typeof wireFormats;

export const scriptOf = (kind: WireKind): VendorScript => wireFormats[kind];

/** The one whose list shows what a task was sent with. */
export const listingKind: WireKind = 'ark';
export const otherKinds = (Object.keys(wireFormats) as WireKind[]).filter(
  (kind) => kind !== listingKind,
);

/** In US dollars. */
export const wirePrices = { millionTokens: 10, second: 0.01 };

/** What a vendor of this kind asks for its work: by the tokens that it counts, or by the second. */
export function wireCostOf(kind: WireKind): CostRules {
  const usages = Object.values(scriptOf(kind).task.charged ?? {}).map(({ usage }) => usage);
  const currency = 'USD';
  return usages.some(({ totalTokens }) => totalTokens !== undefined)
    ? { currency, millionTokens: String(wirePrices.millionTokens) }
    : { currency, outputSecond: String(wirePrices.second) };
}
