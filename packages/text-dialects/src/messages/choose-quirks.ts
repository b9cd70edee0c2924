import { camelCase, lookUp } from '../json.ts';
import { messagesModelFamilies } from './model-families.ts';
import type { MessagesQuirks } from './quirks.ts';
import { messagesVendorPresets, type MessagesVendor } from './vendor-presets.ts';

export const messagesVendorNames = Object.keys(messagesVendorPresets) as readonly MessagesVendor[];

export interface MessagesQuirksOptions {
  /** One of `messagesVendorNames`; any other name means `generic`. */
  readonly vendor?: string | undefined;
  /** The upstream's own name of the model. */
  readonly model: string;
  /**
   * An operator's overrides, as they stand in the configuration: the fields of `MessagesQuirks` in
   * snake_case.
   */
  readonly overrides?: Readonly<Record<string, unknown>> | undefined;
}

/** The vendor's preset, then what is known of the model's family, then the operator's overrides. */
export function messagesQuirksOf({
  vendor = 'generic',
  model,
  overrides = {},
}: MessagesQuirksOptions): MessagesQuirks {
  const preset: MessagesQuirks =
    lookUp<MessagesQuirks>(messagesVendorPresets, vendor) ?? messagesVendorPresets.generic;
  const name = model.replace(/(\d)\.(?=\d)/g, '$1-');
  const family = messagesModelFamilies.find(({ pattern }) => pattern.test(name))?.quirks ?? {};
  // What the vendor cannot do, no model of theirs can.
  const structured =
    family.structuredOutput === 'native' ? { structuredOutput: preset.structuredOutput } : {};
  const byOperator = Object.fromEntries(
    Object.entries(overrides).map(([key, value]) => [camelCase(key), value]),
  );
  return Object.assign({}, preset, family, structured, byOperator) as MessagesQuirks;
}
