/** Words that stand in an expression and are no metric: functions, operators, modifiers. */
const words = new Set([
  'sum',
  'min',
  'max',
  'avg',
  'count',
  'by',
  'without',
  'and',
  'or',
  'unless',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'bool',
  'offset',
  'rate',
  'increase',
  'deriv',
  'histogram_quantile',
  'absent',
  'time',
  'vector',
  'clamp_min',
  'label_replace',
  'count_over_time',
]);

export interface Selector {
  readonly metric: string;
  /** Labels that its matchers name. */
  readonly labels: readonly string[];
}

/**
 * The metrics that a PromQL expression names, each with the labels it is asked by. Throws when
 * brackets or quotes do not match.
 */
export function selectorsIn(expression: string): Selector[] {
  checkBrackets(expression);
  const bare = expression
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/([a-z_:][\w:]*)\s*(\{[^}]*\})?/gi)]
    .filter(([, name]) => !words.has(name!))
    .map(([, metric, matchers = '']) => ({
      metric: metric!,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
    }));
}

/** Labels that the expression groups by. */
export const groupingIn = (expression: string): string[] =>
  [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
    list!
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );

/** The family of a series: a histogram has its buckets, its sum and its count. */
export const familyOf = (metric: string, types: ReadonlyMap<string, string>): string => {
  const family = metric.replace(/_(bucket|sum|count)$/, '');
  return types.get(family) === 'histogram' ? family : metric;
};

function checkBrackets(expression: string): void {
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ')': '(', '}': '{', ']': '[' };
  for (const character of expression.replaceAll(/"[^"]*"/g, '')) {
    if (character === '"') throw new Error(`a quote is open in ${expression}`);
    if ('([{'.includes(character)) open.push(character);
    else if (character in pairs && open.pop() !== pairs[character]) {
      throw new Error(`brackets do not match in ${expression}`);
    }
  }
  if (open.length > 0) throw new Error(`a bracket is open in ${expression}`);
}
