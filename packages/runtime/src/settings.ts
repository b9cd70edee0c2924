import { Ajv, type JSONSchemaType } from 'ajv';

/** Schema and type of a service's settings as one fact. */
export type SettingsSchema<T> = JSONSchemaType<T>;

/** A service cannot start with these settings. The message lists every problem, one a line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads, coerces and freezes one service's settings from the environment; throws a SettingsError that names every
 * problem at once. Empty values count as not set. Values are never part of the message: a setting may be a secret.
 */
export function loadSettings<T extends object>(schema: SettingsSchema<T>, environment: NodeJS.ProcessEnv): Readonly<T> {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, removeAdditional: 'all' });
  const candidate: unknown = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const validate = ajv.compile<T>(schema);
  if (validate(candidate)) return Object.freeze(candidate);
  const lines = (validate.errors ?? []).map((error) => {
    const missing = error.keyword === 'required' ? String(error.params['missingProperty']) : undefined;
    return missing === undefined ? `  ${error.instancePath.slice(1)} ${error.message ?? 'is invalid'}` : `  ${missing} is required`;
  });
  throw new SettingsError(`Settings that keep this service from starting:\n${lines.join('\n')}`);
}

const text = { type: 'string', minLength: 1 } as const;

/** Pieces of settings schemas that services share. */
export const settingSchemas = {
  HOST: { ...text, default: '0.0.0.0' },
  PORT: { type: 'integer', minimum: 0, maximum: 65_535 },
  LOG_LEVEL: { type: 'string', enum: ['error', 'warn', 'info', 'debug'], default: 'info' },
  NODE_ENV: { type: 'string', nullable: true, description: 'In `production` no setting may open loopback to addresses that strangers chose' },
  LOG_FORMAT: { type: 'string', enum: ['json', 'text'], default: 'json' },
  text,
} as const;
