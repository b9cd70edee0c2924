import { readTools as readChatTools, type ReadTools } from '../chat/read-tools.ts';
import { unsupported } from '../chat/refuse.ts';
import type { Fields } from '../json.ts';
import { readList, readRecord, readText } from '../values.ts';

const ownTypes: readonly string[] = ['function', 'custom'];

/** The tools of a request, which the client runs itself. */
export function readTools(body: Fields): ReadTools {
  const { tools, tool_choice: choice } = body;
  (readList(tools) ?? []).forEach((tool, index) => {
    const type = readText(readRecord(tool)?.['type']);
    if (type !== undefined && !ownTypes.includes(type)) {
      throw unsupported(
        `tools[${index}].type`,
        `"${type.slice(0, 64)}" is not available with this model: it runs at another vendor; leave the tool out, or send a function that you run yourself`,
      );
    }
  });
  return readChatTools({ tools, tool_choice: choice });
}
