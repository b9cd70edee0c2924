import type { ReadVideoRequest, TaskPrice } from '@gateway/contracts';
import type { Ledger } from '@gateway/store';
import { requireModel, type Caller } from './authenticate.ts';
import type { PriceVideo, VideoToPrice } from './price-video.ts';

export interface QuoteVideo {
  readonly caller: Caller;
  readonly body: unknown;
}

export interface VideoQuote {
  readonly read: ReadVideoRequest;
  readonly price: TaskPrice;
  /** Quota that the account has available now. */
  readonly availableQuota: number;
}

export interface QuoteVideoPorts {
  /** The reader of creation. */
  readonly read: (body: unknown) => ReadVideoRequest;
  /** Throws what creation throws for assets that do not exist or do not fit. */
  readonly resolveAssets: (
    read: ReadVideoRequest,
    accountId: string,
  ) => Promise<VideoToPrice['assets']>;
  /** The price of creation. */
  readonly priceVideo: PriceVideo;
  readonly balanceOf: Ledger['balanceOf'];
}

/**
 * What a creation with this body would reserve. Refuses what creation refuses for its body; holds
 * nothing and writes nothing.
 */
export function createQuoteVideo({
  read: readBody,
  resolveAssets,
  priceVideo,
  balanceOf,
}: QuoteVideoPorts): (request: QuoteVideo) => Promise<VideoQuote> {
  return async ({ caller, body }) => {
    const read = readBody(body);
    requireModel(caller, read.model);
    const { accountId } = caller;
    const assets = await resolveAssets(read, accountId);
    const price = await priceVideo({ read, accountId, assets });
    const { availableQuota } = await balanceOf(accountId);
    return { read, price, availableQuota };
  };
}
