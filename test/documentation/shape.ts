/**
 * Fields whose value says what a thing is or costs: an example has to show what is really returned.
 */
const exactFields = new Set([
  'object',
  'type',
  'kind',
  'code',
  'status',
  'model',
  'duration',
  'ratio',
  'aspect_ratio',
  'resolution',
  'billing_mode',
  'second_quota',
  'reserved_duration_seconds',
  'max_billing_quota',
  'billed_duration_seconds',
  'billed_quota',
  'quota',
  'affordable',
  'deleted',
]);

/**
 * Where a response is not as a page shows it, one sentence each. Every field shown must be there, of
 * the same type, and with the same value where the field says what a thing is or costs. `null`
 * stands for anything, and so does `…` in a text.
 */
export function differences(shown: unknown, responded: unknown, at = 'the response'): string[] {
  if (shown === null) return [];
  if (typeOf(shown) !== typeOf(responded)) {
    return [`${at} is shown as ${typeOf(shown)} and is ${typeOf(responded)}`];
  }
  if (Array.isArray(shown)) return inList(shown, responded as unknown[], at);
  if (typeof shown === 'object') {
    return Object.entries(shown).flatMap(([field, value]) =>
      inField(field, value, { responded: responded as Record<string, unknown>, at }),
    );
  }
  return typeof shown === 'string' &&
    shown.includes('…') &&
    !patternOf(shown).test(responded as string)
    ? [`${at} is shown as "${shown}" and is "${String(responded)}"`]
    : [];
}

function inList(shown: readonly unknown[], responded: readonly unknown[], at: string): string[] {
  if (responded.length < shown.length) {
    return [`${at} is shown with ${shown.length} entries and has ${responded.length}`];
  }
  return shown.flatMap((value, index) => differences(value, responded[index], `${at}[${index}]`));
}

function inField(
  field: string,
  shown: unknown,
  { responded, at }: { responded: Record<string, unknown>; at: string },
): string[] {
  const name = `${at}.${field}`;
  if (!(field in responded)) return [`${name} is shown and is not there`];
  const isExact =
    exactFields.has(field) &&
    shown !== null &&
    typeof shown !== 'object' &&
    !JSON.stringify(shown).includes('…');
  if (isExact && shown !== responded[field]) {
    return [
      `${name} is shown as ${JSON.stringify(shown)} and is ${JSON.stringify(responded[field])}`,
    ];
  }
  return differences(shown, responded[field], name);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

const patternOf = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );

/**
 * The lines of a page that are not among the lines printed, in this order; `…` stands for anything.
 */
export function missingLines(shown: string, printed: string): string[] {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let from = 0;
  return shown
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .filter((line) => {
      const at = lines.findIndex(
        (candidate, index) => index >= from && patternOf(line).test(candidate),
      );
      if (at === -1) return true;
      from = at + 1;
      return false;
    });
}

/** Every JSON object and list in what was printed, whatever stands around them. */
export function jsonIn(printed: string): unknown[] {
  const found: unknown[] = [];
  for (let at = 0; at < printed.length; at += 1) {
    if (!'{['.includes(printed[at]!)) continue;
    const end = closingOf(printed, at);
    const value = parsed(printed.slice(at, end + 1));
    if (value === undefined) continue;
    found.push(value);
    at = end;
  }
  return found;
}

function closingOf(text: string, open: number): number {
  let depth = 0;
  for (const { 0: token, index } of text.slice(open).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if ('{['.includes(token)) depth += 1;
    if ('}]'.includes(token)) depth -= 1;
    if (depth === 0) return open + index;
  }
  return text.length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
