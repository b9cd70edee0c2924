import { directiveList } from '../tasks/directives.ts';
import type { SimulatedVendor } from '../tasks/vendor.ts';
import { textDirectiveList } from '../text/directives.ts';
import { textModels } from '../text/models.ts';

/** What `GET /` tells a newcomer. */
export function introduction(vendors: readonly SimulatedVendor[]): object {
  const formats = new Intl.ListFormat('en-GB').format(vendors.map(({ speaks }) => speaks));
  return {
    name: 'sandbox vendor',
    about: `A stand-in for vendors of video and of text: it speaks ${formats}, and renders real videos, and it speaks the messages, the chat-completions and the responses dialect. Put a directive anywhere in a prompt to see an outcome.`,
    directives: directiveList(),
    ...(Object.assign({}, ...vendors.map(({ listing }) => listing)) as object),
    text: {
      routes: [
        'POST /v1/messages',
        'POST /v1/messages/count_tokens',
        'POST /v1/chat/completions',
        'POST /v1/responses',
        'POST /v1/embeddings',
        'GET /v1/models',
      ],
      models: textModels,
      directives: textDirectiveList(),
    },
  };
}
