import { isFields, type Fields } from '../json.ts';

/** What vendors report beside tokens because they charge for it. */

/** An object's fields, or none: vendors leave out and null whatever they like. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** A count; undefined for what is none. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : undefined;

type ToolUses = Readonly<Record<string, number>>;

/** `web_search_requests` and its like. */
export const messagesToolUses = ({ server_tool_use: reported }: Fields): ToolUses | undefined =>
  isFields(reported) ? usesIn(reported, '_requests') : undefined;

/**
 * OpenRouter reports as a messages upstream does, xAI under a name of its own (and the sources of its
 * live search), Perplexity and DashScope their searches.
 */
export function chatToolUses(raw: Fields): ToolUses | undefined {
  let found: Record<string, number> | undefined;
  // Nearly every upstream reports none of them.
  for (const [field, read] of chatReports) {
    const reported = raw[field];
    if (reported === undefined || reported === null) continue;
    found = { ...found, ...read(reported) };
  }
  return found;
}

/** Calls of tools that the client runs itself. */
const ownCalls: ReadonlySet<string> = new Set(
  ['function', 'custom_tool', 'computer', 'local_shell', 'apply_patch'].map(
    (name) => `${name}_call`,
  ),
);

/** A Response object shows each use of a tool that ran at the vendor as an item: `web_search_call`. */
export function hostedCallsIn(output: unknown): ToolUses {
  const uses: Record<string, number> = {};
  for (const item of Array.isArray(output) ? (output as unknown[]) : []) {
    const type = String(fieldsOf(item)['type']);
    const [name] = /^[a-z][a-z_]{0,57}(?=_call$)/.exec(type) ?? [];
    if (name !== undefined && !ownCalls.has(type)) uses[name] = (uses[name] ?? 0) + 1;
  }
  return uses;
}

const usesOf = (name: string, value: unknown): ToolUses => {
  const count = countOf(value);
  return count === undefined ? {} : { [name]: count };
};

const chatReports: readonly (readonly [field: string, read: (reported: unknown) => ToolUses])[] = [
  ['server_tool_use', (counts) => usesIn(fieldsOf(counts), '_requests')],
  ['server_side_tool_usage_details', (counts) => usesIn(fieldsOf(counts), '_calls')],
  ['num_sources_used', (count) => usesOf('live_search', count)],
  ['num_search_queries', (count) => usesOf('web_search', count)],
  ['plugins', (plugins) => usesOf('web_search', fieldsOf(fieldsOf(plugins)['search'])['count'])],
];

/** The counts whose key ends so, by the rest of it. */
function usesIn(counts: Fields, ending: string): ToolUses {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([key, value]) => {
      const count = key.endsWith(ending) ? countOf(value) : undefined;
      return count === undefined ? [] : [[key.slice(0, -ending.length), count]];
    }),
  );
}

/** A name that can be stored; undefined for everything else. */
export const tierOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? value : undefined;

/** Fast mode is a price of its own, whatever tier it runs in. */
export const messagesTierOf = ({ speed, service_tier: tier }: Fields): string | undefined =>
  speed === 'fast' ? 'fast' : tierOf(tier);
