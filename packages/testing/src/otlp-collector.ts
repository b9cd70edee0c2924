import { openPeer, type Received } from './peer.ts';

/** One span as it arrived. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  /** As OTLP numbers them: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** Ids of the spans that it points at. */
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isFailed: boolean;
}

export interface OtlpCollector {
  /** Base address, for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly received: readonly Received[];
  spans(): CollectedSpan[];
  /** All that arrived, as text. */
  text(): string;
  close(): Promise<void>;
}

interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan extends Pick<CollectedSpan, 'name' | 'kind' | 'traceId' | 'spanId'> {
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: readonly WireAttribute[];
  readonly status: { readonly code: number };
}

const errorCode = 2;

/** A collector on loopback that takes OTLP/HTTP in JSON and keeps the spans. */
export async function openOtlpCollector(): Promise<OtlpCollector> {
  const peer = await openPeer((_received, response) => {
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const text = (): string => peer.received.map(({ body }) => body.toString()).join('\n');
  return {
    url: peer.url,
    received: peer.received,
    text,
    spans: () =>
      peer.received
        .filter(({ path }) => path === '/v1/traces')
        .flatMap(({ body }) => spansOf(JSON.parse(body.toString()) as Wire)),
    close: peer.close,
  };
}

const spansOf = ({ resourceSpans }: Wire): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ name, kind, traceId, spanId, parentSpanId, links, attributes, status }) => ({
        service,
        name,
        kind,
        traceId,
        spanId,
        parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
        links: (links ?? []).map((link) => link.spanId),
        attributes: valuesOf(attributes),
        isFailed: status.code === errorCode,
      }));
  });

const valuesOf = (attributes: readonly WireAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
