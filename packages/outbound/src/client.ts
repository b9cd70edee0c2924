import net from 'node:net';
import type { AddressRange } from './address-rule.ts';
import { download, type Download, type DownloadRequest } from './download.ts';
import type { EgressProxy } from './egress-proxy.ts';
import type { Dial, Guard } from './guarded-connect.ts';
import { defaultPostTimeouts, post, type PostOutcome, type PostRequest } from './post.ts';
import { createResolver, type Resolve } from './resolve-name.ts';

export interface OutboundClientOptions {
  /** From `parseCidrs`. */
  readonly allowCidrs: readonly AddressRange[];
  readonly allowHttp: boolean;
  /** For instance `generation-gateway-callbacks/0.1`. */
  readonly userAgent: string;
  /** PEM of a private authority to trust instead of the usual roots. */
  readonly certificateAuthority?: string;
  /** From `parseEgressProxy`: every connection goes through it. */
  readonly egressProxy?: EgressProxy | undefined;
  readonly resolve?: Resolve;
  readonly dial?: Dial;
}

export interface OutboundClient {
  post(request: PostRequest): Promise<PostOutcome>;
  download(request: DownloadRequest): Promise<Download>;
}

/** The only way out to an address that a stranger chose. */
export function createOutboundClient(options: OutboundClientOptions): OutboundClient {
  const guard: Guard = {
    allowCidrs: options.allowCidrs,
    resolve: options.resolve ?? createResolver({ timeoutMs: defaultPostTimeouts.lookupMs }),
    dial: options.dial ?? ((target) => net.connect(target)),
    ...(options.certificateAuthority === undefined
      ? {}
      : { certificateAuthority: options.certificateAuthority }),
    ...(options.egressProxy === undefined ? {} : { egressProxy: options.egressProxy }),
  };
  const rule = { guard, allowHttp: options.allowHttp, userAgent: options.userAgent };
  return {
    post: (request) => post(request, rule),
    download: (request) => download(request, rule),
  };
}
