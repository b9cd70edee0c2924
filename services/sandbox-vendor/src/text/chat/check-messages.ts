import { partsOf, type AssistantMessage, type ChatBody, type ContentPart } from './body.ts';
import { invalid } from './read-body.ts';

/** Every call needs its tool message right after it, and every tool message its call. */
export function checkPairing({ messages }: ChatBody): void {
  let open = new Set<string>();
  let caller = -1;
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        throw invalid(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${index}].role` },
        );
      }
      return;
    }
    checkNoneOpen(open, caller);
    open = new Set(message.role === 'assistant' ? message.tool_calls?.map(({ id }) => id) : []);
    caller = index;
  });
  checkNoneOpen(open, caller);
}

function checkNoneOpen(open: ReadonlySet<string>, caller: number): void {
  if (open.size === 0) return;
  throw invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    { param: `messages.[${caller + 1}].role` },
  );
}

/** Refuses content that is missing or that names media this vendor cannot take. */
export function checkContent({ messages }: ChatBody): void {
  messages.forEach((message, index) => {
    const param = `messages[${index}].content`;
    if (message.role === 'assistant') checkAssistant(message, param);
    partsOf(message.content).forEach((part, at) => {
      checkPart(part, `${param}[${at}]`);
    });
  });
}

function checkAssistant(
  { content, tool_calls: toolCalls, function_call: functionCall }: AssistantMessage,
  param: string,
): void {
  if ((content ?? null) === null && toolCalls === undefined && !functionCall) {
    throw invalid("Invalid value for 'content': expected a string, got null.", { param });
  }
}

function checkPart(part: ContentPart, param: string): void {
  if (
    part.type === 'image_url' &&
    !/^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/])/.test(part.image_url.url)
  ) {
    throw invalid(
      "Invalid image data. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), or an http(s) URL.",
      { param: `${param}.image_url.url`, code: 'invalid_value' },
    );
  }
  if (part.type !== 'file') return;
  const { file_data: data, file_id: id, filename } = part.file;
  if (data === undefined && id === undefined) {
    throw invalid(`Missing required parameter: '${param}.file.file_id'.`, {
      param: `${param}.file`,
      code: 'missing_required_parameter',
    });
  }
  if (data !== undefined && !/^data:[\w.+/-]+;base64,/.test(data)) {
    throw invalid('Invalid file data. Expected a base64-encoded data URL with a MIME type.', {
      param: `${param}.file.file_data`,
      code: 'invalid_value',
    });
  }
  if (data !== undefined && filename === undefined) {
    throw invalid(`Missing required parameter: '${param}.file.filename'.`, {
      param: `${param}.file.filename`,
      code: 'missing_required_parameter',
    });
  }
}
