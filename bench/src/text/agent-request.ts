import {
  imageOf,
  maxTokens,
  outgoing,
  type OutgoingRequest,
  type SmallRequest,
} from './requests.ts';
import { modelOf } from './scripts.ts';
import type { Dialect } from './protocol.ts';

/** What a tool found, as agents send it: lines of code, with quotes and signs that are not ASCII. */
const toolResult = `export function outlineOf(bytes: Buffer): Outline | undefined {
  const inside = bytes.indexOf(openBrace) + 1;
  // The object may be empty – then there is nothing to find.
  if (inside === 0) return { kind: "none", spans: [] };
`.repeat(24);
/** Conversations as large as this have as many bytes of pictures as of text. */
const picturedBytes = 1_000_000;
const pictureBytes = 400_000;

/**
 * The next request of an agent, about as large as wanted: what it called and what its tools found,
 * turn by turn. Ends with the user, and asks for the small response.
 */
export function agentRequest(
  { route: { client, upstream }, script, apiKey, model = modelOf(upstream, script) }: SmallRequest,
  bodyBytes: number,
): OutgoingRequest {
  const messages: object[] = [];
  let sizeBytes = 0;
  let picturesBytes = 0;
  const add = (...more: readonly object[]): void => {
    messages.push(...more);
    sizeBytes += Buffer.byteLength(JSON.stringify(more));
  };
  while (sizeBytes < bodyBytes) {
    if (bodyBytes >= picturedBytes && picturesBytes < sizeBytes / 2) {
      picturesBytes += pictureBytes;
      add({ role: 'user', content: [imageOf[client]('iVBORw0KGgo'.padEnd(pictureBytes, 'A'))] });
    } else add(...turnOf(client, messages.length));
  }
  return outgoing(client, JSON.stringify({ model, ...maxTokens[client], messages }), apiKey);
}

/** One call of a tool and its result; the responses dialect is not asked for. */
function turnOf(client: Dialect, index: number): readonly object[] {
  const id = `toolu_${index}`;
  const input = { path: `/src/outline-${index}.ts`, first_line: 1, lines: 96 };
  const said = 'I read the file before I change it.';
  return client === 'messages'
    ? [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: said },
            { type: 'tool_use', id, name: 'read_file', input },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: toolResult }] },
      ]
    : [
        {
          role: 'assistant',
          content: said,
          tool_calls: [
            {
              id,
              type: 'function',
              function: { name: 'read_file', arguments: JSON.stringify(input) },
            },
          ],
        },
        { role: 'tool', tool_call_id: id, content: toolResult },
      ];
}
