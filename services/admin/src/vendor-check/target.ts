import { randomBytes } from 'node:crypto';
import type { Configuration } from '@gateway/contracts';
import { createOutboundClient, openedRanges } from '@gateway/outbound';
import { capabilitiesOf, createVideoProvider, videoVendors } from '@gateway/video-providers';
import type { ModelToCheck } from './plan.ts';
import type { CheckPorts } from './step.ts';

/** A provider of the configuration, with what its check needs. */
export interface CheckTarget extends Pick<CheckPorts, 'provider' | 'pace' | 'fetchFile'> {
  readonly models: readonly ModelToCheck[];
}

export interface TargetOptions {
  readonly configuration: Configuration;
  /** As the video-worker has them: where files may be fetched from. */
  readonly fetching: {
    readonly INGEST_ALLOW_CIDRS?: string | undefined;
    readonly INGEST_ALLOW_HTTP?: boolean | undefined;
    readonly NODE_ENV?: string | undefined;
  };
}

const vendorTimeoutMs = 60_000;
/** The cheapest video of any vendor has less. */
const maxBytes = 500_000_000;
const fetchMs = 300_000;

/** Undefined where the configuration names no such provider of videos. */
export function checkTarget(
  name: string,
  { configuration: { providers, models }, fetching }: TargetOptions,
): CheckTarget | undefined {
  const settings = providers.get(name);
  if (settings === undefined || !(settings.kind in videoVendors)) return undefined;
  const { kind, baseUrl, apiKey, pace } = settings;
  const provider = createVideoProvider(kind, { baseUrl, apiKey, timeoutMs: vendorTimeoutMs });
  const outbound = createOutboundClient({
    allowHttp: fetching.INGEST_ALLOW_HTTP ?? false,
    allowCidrs: openedRanges(fetching.INGEST_ALLOW_CIDRS ?? '', {
      setting: 'INGEST_ALLOW_CIDRS',
      nodeEnv: fetching.NODE_ENV,
    }),
    userAgent: 'generation-gateway-check/0.1',
  });
  const capabilities = capabilitiesOf(kind);
  return {
    provider,
    pace,
    models: [...models.values()].flatMap((model) =>
      model.routes
        .filter((route) => route.provider === name)
        .map(({ upstreamModel, cost }) => ({ model, upstreamModel, cost, capabilities })),
    ),
    async fetchFile(url, signal) {
      const isTheirs = URL.canParse(url) && new URL(url).origin === new URL(baseUrl).origin;
      const headers = isTheirs ? (provider.fileHeaders ?? {}) : {};
      const got = await outbound.download({ url, headers, maxBytes, timeoutMs: fetchMs, signal });
      return {
        contentType: got.headers['content-type'],
        bytes: Buffer.concat((await got.stream.toArray()) as Uint8Array[]),
      };
    },
  };
}

/** Not the name of a task of ours: an audit would miss that task in the books. */
export const newCorrelation = (): string => `check_${randomBytes(12).toString('hex')}`;
