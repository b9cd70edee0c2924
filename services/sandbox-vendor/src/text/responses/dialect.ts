import { createBodyReader } from '../chat/read-body.ts';
import { pingText } from '../chat/write.ts';
import type { Dialect } from '../dialect.ts';
import { failureBody } from '../failures.ts';
import { randomToken } from '../ids.ts';
import type { ThinkingSigner } from '../model/signature.ts';
import type { ResponsesBody } from './body.ts';
import { checkChoice, checkPairing, checkReferences, checkThoughts } from './check.ts';
import { toConversation } from './read.ts';
import { responsesSchema } from './schema.ts';
import { eventText, writeEvents, writeResponse, type ResponseFrame } from './write.ts';

const readBody = createBodyReader(responsesSchema);

export const createResponsesDialect = (
  signer: ThinkingSigner,
  { now }: { now: () => number },
): Dialect => ({
  name: 'responses',
  read(request) {
    const body = readBody(request.body) as ResponsesBody;
    for (const check of [checkReferences, checkPairing, checkChoice]) check(body);
    checkThoughts(body, signer);
    return toConversation(body);
  },
  countPrompt: (cache, { model, segments }) => cache.automatic(model, segments),
  newCallId: () => `call_${randomToken(24)}`,
  write(request, { completion, prompt, directives }) {
    const frame: ResponseFrame = {
      id: `resp_${randomToken(48).toLowerCase()}`,
      // `read` has checked it
      body: request.body as ResponsesBody,
      completion,
      prompt,
      createdSeconds: Math.floor(now() / 1_000),
      tellsUsage: directives['no-usage'] === undefined,
      signer,
      newToken: () => randomToken(48).toLowerCase(),
    };
    return { whole: () => writeResponse(frame), events: () => writeEvents(frame) };
  },
  ping: pingText,
  errorEvent(failure, requestId) {
    const { error } = failureBody('responses', failure, requestId) as { error: object };
    return eventText('error', { sequence_number: 0, ...error, error });
  },
  garbageEvent: 'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n',
});
