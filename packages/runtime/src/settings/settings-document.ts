/** A settings schema as far as people read it. */
export interface ShownSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ShownSetting>>;
}

export interface ShownSetting {
  readonly type?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly string[];
}

export interface ServiceSettings {
  readonly service: string;
  readonly schema: ShownSchema;
}

interface Listed extends ShownSetting {
  readonly name: string;
  readonly isRequired: boolean;
}

/**
 * docs/settings.md: a table for each service, made from the very schemas that the services start
 * with.
 */
export function settingsDocument(services: readonly ServiceSettings[]): string {
  return `${[documentHead, ...services.map(({ service, schema }) => `## ${service}\n\n${tableOf(schema)}`)].join('\n\n')}\n`;
}

const documentHead = `# Settings

This page is generated from the schemas in \`services/*/src/config.ts\`: \`npm run build && node scripts/settings.mjs\` writes it
and \`.env.example\`, and a test compares both with the schemas.

A setting is an environment variable. An empty one counts as not set. Each can come from a file instead: \`NAME_FILE\` names
the file, and the line break at its end is ignored; setting both is a mistake. If settings are wrong, the service reports all
problems at once, without repeating a value, and exits with 78.

What can change while the services run is not a setting but in \`gateway.yaml\`: see [configuration.md](configuration.md).`;

function tableOf(schema: ShownSchema): string {
  const rows = listOf(schema).map(
    (setting) =>
      `| \`${setting.name}\` | ${takes(setting)} | ${defaultOf(setting)} | ${(setting.description ?? '').replaceAll('|', '\\|')} |`,
  );
  return ['| name | takes | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** .env.example: every setting once; what must be set stands without a comment sign. */
export function environmentExample(services: readonly ServiceSettings[]): string {
  const groups = new Map<string, string[]>();
  const owners = new Map<string, string[]>();
  for (const { service, schema } of services) {
    for (const setting of listOf(schema)) {
      const lines = exampleOf(setting);
      owners.set(lines, [...(owners.get(lines) ?? []), service]);
    }
  }
  for (const [lines, of] of owners) {
    const title = of.join(', ');
    groups.set(title, [...(groups.get(title) ?? []), lines]);
  }
  const sections = [...groups].map(
    ([title, settings]) => `# --- ${title} ---\n\n${settings.join('\n\n')}`,
  );
  return `${[exampleHead, ...sections].join('\n\n')}\n`;
}

const exampleHead = `# Every setting of every service; docs/settings.md says more. \`npm start\` needs none of them.
# Lines without a comment sign must be set. NAME_FILE=<path> reads a setting from a file instead.
# config/gateway.yaml names the keys of vendors, as \${ARK_API_KEY} or as a file.`;

function exampleOf({
  name,
  isRequired,
  description = '',
  default: value,
  examples,
}: Listed): string {
  const shown = examples?.[0] ?? (value === undefined ? '' : textOf(value));
  return `# ${description}\n${isRequired ? '' : '# '}${name}=${shown}`;
}

function listOf({ required = [], properties = {} }: ShownSchema): Listed[] {
  return Object.entries(properties).map(([name, setting]) => ({
    name,
    isRequired: required.includes(name),
    ...setting,
  }));
}

function takes({ type, enum: values, minimum, maximum }: ShownSetting): string {
  if (values !== undefined) {
    return values
      .filter((value) => value !== null)
      .map((value) => `\`${String(value)}\``)
      .join(', ');
  }
  if (type === 'boolean') return '`true`, `false`';
  if (type === 'string') return 'text';
  const range = [
    minimum === undefined ? '' : `from ${minimum}`,
    maximum === undefined ? '' : `to ${maximum}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
  return `${type ?? ''}${range === '' ? '' : `, ${range}`}`;
}

function defaultOf({ isRequired, default: value }: Listed): string {
  if (isRequired) return '**required**';
  return value === undefined || value === '' ? 'not set' : `\`${textOf(value)}\``;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
