import { invalid } from '../chat/read-body.ts';
import { TextFailure } from '../failures.ts';
import type { ThinkingSigner } from '../model/signature.ts';
import {
  itemsOf,
  type CallItem,
  type CustomCallItem,
  type Item,
  type ReasoningItem,
  type ResponsesBody,
  type ResultItem,
} from './body.ts';

/** Nothing is kept at this vendor: what a request builds on is not there. */
export function checkReferences(body: ResponsesBody): void {
  const { previous_response_id: previous } = body;
  if (typeof previous === 'string') {
    throw invalid(`Previous response with id '${previous}' not found.`, {
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
  }
  for (const item of itemsOf(body)) {
    if (item.type === 'item_reference') throw itemNotFound(item.id);
  }
}

const itemNotFound = (id: string): TextFailure =>
  new TextFailure(
    404,
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    { param: 'input' },
  );

/** Earlier thoughts are taken as the vendor encrypted them, and in no other form. */
export function checkThoughts(body: ResponsesBody, signer: ThinkingSigner): void {
  for (const item of itemsOf(body)) {
    if (item.type !== 'reasoning') continue;
    const { encrypted_content: encrypted, id = '' } = item;
    if (typeof encrypted !== 'string') throw itemNotFound(id);
    if (!signer.isGenuine(thoughtOf(item), encrypted)) {
      throw invalid(
        `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        { code: 'invalid_encrypted_content' },
      );
    }
  }
}

/** What the encrypted content of an item stands for. */
const thoughtOf = ({ summary }: Pick<ReasoningItem, 'summary'>): string =>
  summary.map(({ text }) => text).join('\n\n');

/** Every call needs its output, and every output its call before it. */
export function checkPairing(body: ResponsesBody): void {
  const open = new Set<string>();
  for (const item of itemsOf(body)) {
    if (isCall(item)) open.add(item.call_id);
    else if (isResult(item) && !open.delete(item.call_id)) {
      throw invalid(`No tool call found for function call output with call_id ${item.call_id}.`, {
        param: 'input',
      });
    }
  }
  const [lonely] = open;
  if (lonely !== undefined) {
    throw invalid(`No tool output found for function call ${lonely}.`, { param: 'input' });
  }
}

const isCall = (item: Item): item is CallItem | CustomCallItem =>
  item.type === 'function_call' || item.type === 'custom_tool_call';
const isResult = (item: Item): item is ResultItem =>
  item.type === 'function_call_output' || item.type === 'custom_tool_call_output';

/** Refuses a forced tool that is not among the tools. */
export function checkChoice({ tools, tool_choice: choice }: ResponsesBody): void {
  if (typeof choice !== 'object' || choice.type === 'allowed_tools') return;
  if (!(tools ?? []).some(({ name }) => name === choice.name)) {
    throw invalid(`Tool choice '${choice.name}' not found in 'tools' parameter.`, {
      param: 'tool_choice',
    });
  }
}
