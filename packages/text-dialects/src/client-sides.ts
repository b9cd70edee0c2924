import { readChatRequest } from './chat/read-request.ts';
import { writeChatCompletion } from './chat/write-completion.ts';
import { createChatStreamWriter } from './chat/write-stream.ts';
import { readMessagesRequest } from './messages/read-request.ts';
import { writeMessagesCompletion } from './messages/write-completion.ts';
import { createMessagesStreamWriter } from './messages/write-stream.ts';
import type { Dialect, Completion, StreamWriter } from './neutral.ts';
import type { ReadRequest } from './request-translation.ts';
import { readResponsesRequest } from './responses/read-request.ts';
import type { ResponseTranslation } from './responses/response.ts';
import { writeResponse } from './responses/write-completion.ts';
import { createResponsesStreamWriter } from './responses/write-stream.ts';

/** What is known of each dialect on the client's side. */
export interface ClientSide {
  readonly read: (body: Record<string, unknown>) => ReadRequest;
  readonly writeCompletion: (completion: Completion, translation: ResponseTranslation) => object;
  readonly createWriter: (translation: ResponseTranslation) => StreamWriter;
  /** The client's names of fields that writers know by another. */
  readonly names?: Readonly<Record<string, string>>;
}

export const clientSides: Readonly<Record<Dialect, ClientSide>> = {
  messages: {
    read: readMessagesRequest,
    writeCompletion: (completion, { memory, identity }) =>
      writeMessagesCompletion(completion, memory, identity),
    createWriter: createMessagesStreamWriter,
  },
  chat: {
    read: readChatRequest,
    writeCompletion: (completion, { memory, identity }) =>
      writeChatCompletion(completion, memory, identity),
    createWriter: createChatStreamWriter,
  },
  responses: {
    read: readResponsesRequest,
    writeCompletion: writeResponse,
    createWriter: createResponsesStreamWriter,
    names: { metadata: 'user', 'messages.document': 'input.input_file' },
  },
};
