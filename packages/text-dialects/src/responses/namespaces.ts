import { invalid } from '../chat/refuse.ts';
import { type Fields, lookUp } from '../json.ts';
import type { NamespacedTool } from '../completion-options.ts';
import { known, readList, readRecord, readText } from '../values.ts';

/** Tools of a request without namespaces, which no other format has. */
export interface FlatTools {
  readonly tools: unknown;
  readonly toolChoice: unknown;
  /** By the names that stand for them in other formats. */
  readonly namespaced: Readonly<Record<string, NamespacedTool>>;
}

/** `crm` and `find` as `crm__find`; a namespace may bring its own ending: `mcp__crm__`. */
export const flatName = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`;

/** The namespace and name of a tool that a model called by its flat name. */
export const toolNamed = (
  namespaced: FlatTools['namespaced'],
  flat: string,
): { readonly name: string; readonly namespace?: string } =>
  lookUp(namespaced, flat) ?? { name: flat };

/**
 * The tools of each `namespace` in its stead, under flat names; what the namespace says of itself is
 * told with its first tool. Throws `invalid_parameter` for two tools that would have one name.
 */
export function withoutNamespaces({ tools, tool_choice: choice }: Fields): FlatTools {
  const listed = readList(tools);
  if (listed?.some(isNamespace) !== true) return { tools, toolChoice: choice, namespaced: {} };
  const namespaced: Record<string, NamespacedTool> = {};
  const flat = listed.flatMap((tool, index) => {
    if (!isNamespace(tool)) return [tool];
    const { namespace, members } = readNamespace(tool, `tools[${index}]`);
    return members.map(({ name, fields }) => {
      const flattened = flatName(namespace, name);
      namespaced[flattened] = { namespace, name };
      return { ...fields, name: flattened };
    });
  });
  refuseTwins(flat, namespaced);
  return { tools: flat, toolChoice: flatChoice(choice), namespaced };
}

const isNamespace = (tool: unknown): boolean => readRecord(tool)?.['type'] === 'namespace';

function readNamespace(tool: unknown, path: string) {
  const { name, description, tools } = readRecord(tool) ?? {};
  const namespace = readText(name);
  if (namespace === undefined) throw invalid(`${path}.name`, 'must be the name of the namespace');
  const about = readText(description);
  const members = (readList(tools) ?? []).map((member, index) => {
    const fields = readRecord(member);
    const memberName = readText(fields?.['name']);
    if (fields === undefined || memberName === undefined) {
      throw invalid(`${path}.tools[${index}].name`, 'must be the name of the tool');
    }
    const told = [index === 0 ? about : undefined, readText(fields['description'])]
      .filter((text) => text !== undefined)
      .join('\n\n');
    return {
      name: memberName,
      fields: { ...fields, ...known({ description: told === '' ? undefined : told }) },
    };
  });
  return { namespace, members };
}

function refuseTwins(tools: readonly unknown[], namespaced: FlatTools['namespaced']): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    const name = readText(readRecord(tool)?.['name']) ?? '';
    if (seen.has(name) && lookUp(namespaced, name) !== undefined) {
      throw invalid(
        'tools',
        `must not have both a tool "${name.slice(0, 128)}" and a namespace with a tool that this model knows by that name; rename one of them`,
      );
    }
    seen.add(name);
  }
}

/** A tool that is chosen by its namespace, alone or among those that are allowed. */
function flatChoice(choice: unknown): unknown {
  const fields = readRecord(choice);
  if (fields === undefined) return choice;
  const allowed = readList(fields['tools']);
  if (allowed !== undefined) return { ...fields, tools: allowed.map(flatChoice) };
  const namespace = readText(fields['namespace']);
  const name = readText(fields['name']);
  return name === undefined ? choice : { ...fields, name: flatName(namespace, name) };
}
