import { textProviderKinds, type TextProviderKind } from './configuration.ts';
import { isOffCalendar } from './retirement.ts';
import type { VideoVendorBounds } from './video-vendors.ts';

/**
 * The providers that models name. A kind that does not exist is neither text nor video: the file is
 * told so where the kind stands, and not again by everything that refers to it.
 */
export interface KnownProviders {
  /** The kind that the file gives a provider, whether it exists or not; undefined: no provider. */
  readonly kindOf: (provider: string) => string | undefined;
  /** The vendor of a kind; undefined for a kind that is none of video. */
  readonly vendorOf: (kind: string | undefined) => VideoVendorBounds | undefined;
}

export const isTextKind = (kind: string | undefined): kind is TextProviderKind =>
  (textProviderKinds as readonly unknown[]).includes(kind);

/** Something wrong between fields of the file, by its path. */
export interface PathProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** A rule that a part of the file may break; `value` is the one of several at the path that breaks it. */
export type Rule = readonly [
  broken: boolean,
  path: readonly string[],
  message: string,
  value?: string,
];

export const brokenRules = (rules: readonly Rule[]): PathProblem[] =>
  rules.filter(([broken]) => broken).map(([, path, message]) => ({ path, message }));

/** The form is the schema's matter; this is the calendar's. */
export const retirementRule = (retiresAt: unknown): Rule => [
  isOffCalendar(retiresAt),
  ['retires_at'],
  `names ${String(retiresAt)}, which is in no calendar`,
];

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const positive = { type: 'integer', minimum: 1 } as const;

export const name = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  'x-must-be': 'a name of letters, digits, dots, dashes and underscores, at most 64',
} as const;

/** Customers send it, so it may look like the names that vendors give: `vendor/model:variant`. */
export const modelName = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$',
  'x-must-be': 'a name of letters, digits and . - _ / :, at most 128',
} as const;

/** Fields that every provider has, whatever it speaks. */
export const providerFields = {
  base_url: { type: 'string', pattern: '^https?://', 'x-must-be': 'an http or https address' },
  api_key: {
    type: 'string',
    pattern: '^\\$\\{[A-Z][A-Z0-9_]*\\}$',
    'x-must-be': 'a reference to an environment variable, for instance ${ARK_API_KEY}',
  },
  api_key_file: {
    type: 'string',
    minLength: 1,
    'x-must-be': 'the path of a file that holds the key',
  },
} as const;

export interface RawProviderFields {
  base_url: string;
  api_key?: string;
  api_key_file?: string;
}

export const withoutSlashes = (address: string): string => address.replace(/\/+$/, '');
