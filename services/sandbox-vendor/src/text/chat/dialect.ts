import type { Dialect } from '../dialect.ts';
import { failureBody } from '../failures.ts';
import { randomToken } from '../ids.ts';
import type { ChatBody } from './body.ts';
import { checkContent, checkPairing } from './check-messages.ts';
import { checkOptions } from './check-options.ts';
import { readChatBody } from './read-body.ts';
import { toConversation } from './read.ts';
import { dataText, pingText, writeChunks, writeCompletion, type CompletionFrame } from './write.ts';

export const createChatDialect = ({ now }: { now: () => number }): Dialect => ({
  name: 'chat',
  read(request) {
    const body = readChatBody(request.body);
    for (const check of [checkOptions, checkContent, checkPairing]) check(body);
    return toConversation(body);
  },
  countPrompt: (cache, { model, segments }) => cache.automatic(model, segments),
  newCallId: () => `call_${randomToken(24)}`,
  write(request, { conversation: { model }, completion, prompt, directives }) {
    // `read` has checked it
    const { n, stream_options: streamOptions, functions } = request.body as ChatBody;
    const frame: CompletionFrame = {
      id: `chatcmpl-${randomToken(29)}`,
      model,
      completion,
      prompt,
      createdSeconds: Math.floor(now() / 1_000),
      choices: n ?? 1,
      tellsUsage: directives['no-usage'] === undefined,
      includesUsage: streamOptions?.include_usage === true,
      legacyCalls: functions !== undefined,
    };
    return { whole: () => writeCompletion(frame), events: () => writeChunks(frame) };
  },
  ping: pingText,
  errorEvent: (failure, requestId) => dataText(failureBody('chat', failure, requestId)),
  garbageEvent: 'data: {"id":"chatcmpl-\n\n',
});
