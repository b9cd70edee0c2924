/** OpenTelemetry's own variables, as far as the gateway takes them. */
export interface TracingSettings {
  OTEL_SDK_DISABLED?: boolean;
  OTEL_TRACES_EXPORTER?: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_HEADERS?: string;
  OTEL_EXPORTER_OTLP_PROTOCOL?: string;
  OTEL_SERVICE_NAME?: string;
  OTEL_RESOURCE_ATTRIBUTES?: string;
  OTEL_TRACES_SAMPLER?: string;
  OTEL_TRACES_SAMPLER_ARG?: number;
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplers)[number];

const optionalText = { type: 'string', nullable: true } as const;
const optionalAddress = { ...optionalText, pattern: '^https?://' } as const;
const listPattern = '^\\s*([^=,\\s]+\\s*=[^,]*)(,\\s*[^=,\\s]+\\s*=[^,]*)*,?\\s*$';

/** Part of the settings of every service that is traced. */
export const tracingSettingSchemas = {
  OTEL_SDK_DISABLED: {
    type: 'boolean',
    nullable: true,
    description: 'Switches traces off, whatever else is set',
  },
  OTEL_TRACES_EXPORTER: {
    ...optionalText,
    enum: ['otlp', 'none', null],
    description: '`none` switches traces off',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...optionalAddress,
    description:
      'Collector that receives traces over OTLP/HTTP; `/v1/traces` is added. Setting it switches traces on',
    examples: ['http://otel-collector:4318'],
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    ...optionalAddress,
    description: 'The same for traces alone, as the complete URL',
    examples: ['http://otel-collector:4318/v1/traces'],
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...optionalText,
    pattern: listPattern,
    description: 'Headers for the collector, as name=value,name=value with values URL-encoded',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    ...optionalText,
    enum: ['http/protobuf', 'http/json', null],
    description: 'Encoding; `http/protobuf` when not set',
  },
  OTEL_SERVICE_NAME: {
    ...optionalText,
    description: 'Name in the traces; `gateway-` and the name of the service when not set',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    ...optionalText,
    pattern: listPattern,
    description: 'More about this deployment, as name=value,name=value with values URL-encoded',
    examples: ['deployment.environment.name=production'],
  },
  OTEL_TRACES_SAMPLER: {
    ...optionalText,
    enum: [...samplers, null],
    description: 'Which traces are exported; `parentbased_always_on` when not set',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    type: 'number',
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Share of the traces that a `traceidratio` sampler exports; 1 when not set',
  },
} as const;

/** What the exporter is to be like. */
export interface TracingPlan {
  readonly url: string;
  readonly encoding: 'protobuf' | 'json';
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  readonly ratio: number;
  readonly resource: Readonly<Record<string, string>>;
}

/**
 * Whether this service is traced, and how; undefined: not. Traces are on when an endpoint is named
 * and nothing says otherwise.
 */
export function tracingPlan(
  service: string,
  settings: Readonly<TracingSettings>,
): TracingPlan | undefined {
  const url = endpointOf(settings);
  if (
    url === undefined ||
    settings.OTEL_SDK_DISABLED === true ||
    settings.OTEL_TRACES_EXPORTER === 'none'
  ) {
    return undefined;
  }
  const attributes = listOf(settings.OTEL_RESOURCE_ATTRIBUTES);
  return {
    url,
    encoding: settings.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json' ? 'json' : 'protobuf',
    headers: listOf(settings.OTEL_EXPORTER_OTLP_HEADERS),
    sampler: (settings.OTEL_TRACES_SAMPLER as SamplerName | undefined) ?? 'parentbased_always_on',
    ratio: settings.OTEL_TRACES_SAMPLER_ARG ?? 1,
    resource: {
      ...attributes,
      'service.name':
        settings.OTEL_SERVICE_NAME ?? attributes['service.name'] ?? `gateway-${service}`,
    },
  };
}

function endpointOf({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole,
  OTEL_EXPORTER_OTLP_ENDPOINT: base,
}: Readonly<TracingSettings>): string | undefined {
  return whole ?? (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/traces`);
}

function listOf(list = ''): Record<string, string> {
  const pairs = list.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => [
      pair.slice(0, pair.indexOf('=')).trim(),
      decoded(pair.slice(pair.indexOf('=') + 1).trim()),
    ]),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
