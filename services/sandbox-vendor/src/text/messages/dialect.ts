import type { Request } from 'express';
import type { Dialect } from '../dialect.ts';
import { failureBody, TextFailure } from '../failures.ts';
import { randomToken } from '../ids.ts';
import type { Conversation } from '../model/conversation.ts';
import type { ThinkingSigner } from '../model/signature.ts';
import type { MessagesBody } from './body.ts';
import { checkContent } from './check-content.ts';
import {
  checkCacheMarks,
  checkFormat,
  checkStopSequences,
  checkThinking,
  checkThinkingBlocks,
  checkVersioned,
} from './check-options.ts';
import { checkPairing, checkToolChoice } from './check-tools.ts';
import { readMessagesBody, type MessagesOperation } from './read-body.ts';
import { toConversation } from './read.ts';
import { eventText, pingText, writeEvents, writeMessage, type MessageFrame } from './write.ts';

/** A request of one of the messages routes, checked as the real vendor does. */
export function readMessages(
  operation: MessagesOperation,
  request: Request,
  signer: ThinkingSigner,
): Conversation {
  const version = request.get('anthropic-version');
  if (version === undefined) throw new TextFailure(400, 'anthropic-version: header is required');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) {
    throw new TextFailure(400, `anthropic-version: "${version}" is not a valid version`);
  }
  const betas = (request.get('anthropic-beta') ?? '').split(',').map((beta) => beta.trim());
  const body: MessagesBody = readMessagesBody(operation, request.body);
  checkVersioned(body, { version, betas });
  for (const check of [
    checkStopSequences,
    checkContent,
    checkPairing,
    checkToolChoice,
    checkThinking,
    checkCacheMarks,
    checkFormat,
  ]) {
    check(body);
  }
  checkThinkingBlocks(body, signer);
  return toConversation(body);
}

export const createMessagesDialect = (signer: ThinkingSigner): Dialect => ({
  name: 'messages',
  read: (request) => readMessages('create', request, signer),
  countPrompt: (cache, { model, segments }) => cache.marked(model, segments),
  newCallId: () => `toolu_01${randomToken(22)}`,
  write(_request, { conversation: { model, thinking }, completion, prompt, directives }) {
    const frame: MessageFrame = {
      id: `msg_01${randomToken(22)}`,
      model,
      completion,
      prompt,
      showsThinking: thinking !== 'omitted',
      tellsUsage: directives['no-usage'] === undefined,
      signer,
    };
    return { whole: () => writeMessage(frame), events: () => writeEvents(frame) };
  },
  ping: pingText,
  errorEvent: (failure, requestId) =>
    eventText('error', failureBody('messages', failure, requestId)),
  garbageEvent: 'event: content_block_delta\ndata: {"type":"content_block_del\n\n',
});
