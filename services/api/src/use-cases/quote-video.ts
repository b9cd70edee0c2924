import type { ReadVideoRequest, TaskPrice } from '@gateway/contracts';
import type { Ledger } from '@gateway/store';
import { requireModel, type Caller } from './authenticate.ts';
import type { PriceVideo } from './price-video.ts';
import type { ResolveReferences } from './resolve-references.ts';

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
  /** Throws what creation throws for assets and videos that do not exist or do not fit. */
  readonly resolveReferences: ResolveReferences;
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
  resolveReferences,
  priceVideo,
  balanceOf,
}: QuoteVideoPorts): (request: QuoteVideo) => Promise<VideoQuote> {
  return async ({ caller, body }) => {
    const read = readBody(body);
    requireModel(caller, read.model);
    const { accountId } = caller;
    const ownFiles = await resolveReferences(read, accountId);
    const price = await priceVideo({ read, accountId, ownFiles });
    const { availableQuota } = await balanceOf(accountId);
    return { read, price, availableQuota };
  };
}
