export { isPublicAddress, openedRanges, parseCidrs, type AddressRange } from './address-rule.ts';
export { createOutboundClient, type OutboundClient, type OutboundClientOptions } from './client.ts';
export type { Download, DownloadRequest } from './download.ts';
export { EgressProxyError, parseEgressProxy, type EgressProxy } from './egress-proxy.ts';
export { createGuardedAgents, type GuardedAgents } from './guarded-agent.ts';
export type { Dial, Guard } from './guarded-connect.ts';
export { OutboundError, outboundFailures, type OutboundFailure } from './outbound-error.ts';
export {
  defaultMaxResponseBytes,
  defaultPostTimeouts,
  type PostFailure,
  type PostOutcome,
  type PostRequest,
  type PostTimeouts,
} from './post.ts';
export { createResolver, type Resolve, type ResolverOptions } from './resolve-name.ts';
export {
  canBeFetchedBy,
  checkOutboundUrl,
  defaultMaxUrlLength,
  isInternalName,
  type UrlRefusal,
  type UrlRule,
  type UrlVerdict,
} from './url-rule.ts';
