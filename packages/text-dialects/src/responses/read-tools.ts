import { readTools as readChatTools, type ReadTools } from '../chat/read-tools.ts';
import { unsupported } from '../chat/refuse.ts';
import type { Fields } from '../json.ts';
import { readList, readRecord, readText } from '../values.ts';
import { type FlatTools, withoutNamespaces } from './namespaces.ts';

/** The tools of a request, which the client runs itself. */
export function readTools(body: Fields): ReadTools & Pick<FlatTools, 'namespaced'> {
  (readList(body['tools']) ?? []).forEach((tool, index) => {
    checkToolType(tool, `tools[${index}]`);
  });
  const { tools, toolChoice, namespaced } = withoutNamespaces(body);
  return { ...readChatTools({ tools, tool_choice: toolChoice }, ''), namespaced };
}

function checkToolType(value: unknown, path: string): void {
  const tool = readRecord(value);
  const type = readText(tool?.['type']) ?? 'function';
  if (type === 'namespace') {
    (readList(tool?.['tools']) ?? []).forEach((member, index) => {
      checkToolType(member, `${path}.tools[${index}]`);
    });
  } else if (type !== 'function' && type !== 'custom') {
    throw unsupported(
      `${path}.type`,
      `"${type.slice(0, 64)}" is not available with this model: it runs at another vendor; leave the tool out, or send a function that you run yourself`,
    );
  }
}
