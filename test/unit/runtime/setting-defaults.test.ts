import { describe, expect, it } from '@jest/globals';
import { loadSettings, settingSchemas, type SettingsSchema } from '@gateway/runtime';

const withDefaults = Object.entries(settingSchemas as Readonly<Record<string, object>>).filter(
  ([, schema]) => 'default' in schema,
);

describe('a setting that several services share', () => {
  it.each(withDefaults)('%s may be left out', (name, schema) => {
    const ofOne = { type: 'object', required: [], properties: { [name]: schema } };

    expect(loadSettings(ofOne as unknown as SettingsSchema<object>, {})).toHaveProperty(name);
  });
});
