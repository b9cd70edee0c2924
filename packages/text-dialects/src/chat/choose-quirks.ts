import { camelCase } from '../json.ts';
import { chatModelRules } from './model-rules.ts';
import type { ChatQuirks } from './quirks.ts';
import { chatVendorPresets, type ChatVendor } from './vendor-presets.ts';

export const chatVendorNames = Object.keys(chatVendorPresets) as readonly ChatVendor[];

export interface ChatQuirksOptions {
  /** One of `chatVendorNames`; any other name means `generic`. */
  readonly vendor?: string | undefined;
  /** The upstream's own name of the model: families of one vendor differ. */
  readonly model: string;
  /**
   * An operator's overrides, as they stand in the configuration: the fields of `ChatQuirks` in
   * snake_case.
   */
  readonly overrides?: Readonly<Record<string, unknown>> | undefined;
}

/** The vendor's preset, then what is known of the model's family, then the operator's overrides. */
export function chatQuirksOf({ vendor, model, overrides = {} }: ChatQuirksOptions): ChatQuirks {
  const name = chatVendorNames.find((known) => known === vendor) ?? 'generic';
  const byFamily = chatModelRules
    .filter(({ vendors, pattern }) => vendors.includes(name) && pattern.test(model))
    .map(({ quirks }) => quirks);
  const byOperator = Object.fromEntries(
    Object.entries(overrides).map(([key, value]) => [camelCase(key), value]),
  );
  return Object.assign({}, chatVendorPresets[name], ...byFamily, byOperator) as ChatQuirks;
}
