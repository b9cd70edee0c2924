/** The names to use. Any other works too, unless it begins with `missing-`. */
export const textModels = [
  'sandbox-messages',
  'sandbox-chat',
  'sandbox-responses',
  'sandbox-embedding',
] as const;

const createdAtSeconds = 1_767_225_600; // 2026-01-01

/** One model in a shape that clients of all dialects read. */
export const modelEntry = (id: string): object => ({
  id,
  object: 'model',
  created: createdAtSeconds,
  owned_by: 'sandbox',
  type: 'model',
  display_name: id,
  created_at: new Date(createdAtSeconds * 1_000).toISOString().replace('.000', ''),
});

export const modelList = (): object => ({
  object: 'list',
  data: textModels.map(modelEntry),
  has_more: false,
  first_id: textModels[0],
  last_id: textModels.at(-1),
});
