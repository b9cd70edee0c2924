/** What was asked for, field by field, as text. */
export const changesOf = (
  details: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] =>
  Object.entries(details).map(([name, value]) => [
    name.replaceAll('_', ' '),
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
