import { isFields } from '../json.ts';
import { dropped, type FieldRules, refused, translated, unless } from '../request-fields.ts';

const atTheVendor = 'only the vendor of the messages format can do that';

/** Edits that only take from the context what the model has seen already. */
const harmlessEdit = /^clear_(thinking|tool_uses)_/;

const clearsOnly = (value: unknown): boolean =>
  isFields(value) &&
  (!Array.isArray(value['edits']) ||
    value['edits'].every((edit) => isFields(edit) && harmlessEdit.test(String(edit['type']))));

/** Fields of `POST /v1/messages` towards an upstream of the chat dialect. */
export const messagesFields: FieldRules = {
  // First: without it, official clients send the whole conversation, which may then be told.
  thread: refused(
    'the conversation is kept at the vendor of the messages format',
    'send the whole conversation without it',
  ),
  compaction: refused(atTheVendor, 'leave it out, and shorten the conversation yourself'),
  container: refused(atTheVendor, 'leave it out'),
  context_management: refused(
    atTheVendor,
    'leave it out, or send only edits that clear thinking or tool uses',
    { words: 'edits `clear_thinking_*`, `clear_tool_uses_*`', holds: clearsOnly },
  ),
  inference_geo: refused(
    'nobody can say where this upstream computes',
    'leave it out',
    unless('global'),
  ),
  mcp_servers: refused(atTheVendor, 'call the servers yourself, and send their tools as tools'),
  model: translated("the upstream's name of the model"),
  messages: translated(),
  system: translated('the first message'),
  max_tokens: translated('`max_tokens` or `max_completion_tokens`'),
  stop_sequences: translated('`stop`; what is more than the upstream takes, the gateway cuts'),
  stream: translated(),
  temperature: translated(),
  top_p: translated(),
  top_k: translated('the same, where the upstream knows it'),
  tools: translated('`tools`; those that run at the vendor are left out'),
  tool_choice: translated('`tool_choice`, `parallel_tool_calls`'),
  thinking: translated("the upstream's switch or effort"),
  output_config: translated("`format`: `response_format`; `effort`: the upstream's effort"),
  output_format: translated('`response_format`'),
  metadata: translated('`user_id`: `user` or `safety_identifier`, hashed'),
  service_tier: translated(),
  speed: translated('`service_tier`, where the upstream has a fast one'),
  billing_policy: dropped('about payment at the vendor'),
  cache_control: dropped('saves the vendor work'),
  diagnostics: dropped('a question about the cache'),
  fallback_credit_token: dropped('about payment at the vendor'),
  fallbacks: dropped('the gateway has routes of its own'),
};
