export { isPublicAddress, openedRanges, parseCidrs, type AddressRange } from './address-rule.ts';
export { createOutboundClient, type OutboundClient, type OutboundClientOptions } from './client.ts';
export type { DownloadRequest } from './download.ts';
export { parseEgressProxy } from './egress-proxy.ts';
export { createGuardedAgents } from './guarded-agent.ts';
export type { Dial } from './guarded-connect.ts';
export { OutboundError, outboundFailures, type OutboundFailure } from './outbound-error.ts';
export {
  defaultPostTimeouts,
  type PostFailure,
  type PostOutcome,
  type PostRequest,
} from './post.ts';
export { createResolver, type Resolve } from './resolve-name.ts';
export { canBeFetchedBy, checkOutboundUrl, type UrlRule } from './url-rule.ts';
