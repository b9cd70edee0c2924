/** One of the names, in a pattern. */
export const anyOf = (names) => `(?:${names.join('|')})`;

/** A rule of dependency-cruiser: what `from` must not import of `to`, and why. */
// eslint-disable-next-line max-params -- as the tool has it: name, why, from, to
export const forbid = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });
