import { dropped, type FieldRules, refused, translated, unless } from '../request-fields.ts';

const saves = 'saves the vendor work';

/** Fields of `POST /v1/responses` towards an upstream of another dialect. */
export const responsesFields: FieldRules = {
  background: refused(
    'responses are given while the connection is open',
    'leave it out, or send false, and stream',
    unless(false),
  ),
  conversation: refused(
    'conversations are not kept here',
    'leave it out, and send previous_response_id or the whole conversation as input',
  ),
  context_management: refused(
    'only the vendor of the responses format can do that',
    'leave it out, and shorten the conversation yourself',
  ),
  moderation: refused('nobody moderates here', 'leave it out, and moderate yourself'),
  prompt: refused(
    'templates of prompts are kept at their vendor',
    'send the text itself as instructions and input',
  ),
  top_logprobs: refused(
    'the upstream reports no probabilities in this format',
    'leave it out, or send 0',
    unless(0),
  ),
  model: translated("the upstream's name of the model"),
  input: translated('`messages`'),
  instructions: translated('the first message'),
  previous_response_id: translated('the conversation so far, before `input`'),
  stream: translated(),
  stream_options: translated('nothing is padded'),
  store: translated('the response is kept for the account, by the gateway'),
  include: translated(
    '`reasoning.encrypted_content` is heeded, `message.output_text.logprobs` refused; the others are about tools that run at the vendor',
  ),
  max_output_tokens: translated('the longest completion'),
  temperature: translated('the same, where the model takes it'),
  top_p: translated('the same, where the model takes it'),
  tools: translated('`tools`; types other than `function`, `custom` and `namespace` are refused'),
  tool_choice: translated(),
  parallel_tool_calls: translated(),
  text: translated('`format`: the upstream’s structured output; `verbosity` is dropped'),
  reasoning: translated(
    '`effort`: the upstream’s switch or effort; thoughts are shown whatever `summary` says',
  ),
  truncation: translated('`disabled` is what happens; `auto` is dropped'),
  service_tier: translated(
    '`auto` and `default`, where the upstream has tiers; others are dropped',
  ),
  user: translated('the id of the end user'),
  safety_identifier: translated('the id of the end user, without `user`'),
  metadata: translated('repeated in the response'),
  access_programs: dropped('about the account at the vendor'),
  image: dropped(saves),
  max_tool_calls: dropped('about tools that run at the vendor'),
  prompt_cache_key: dropped(saves),
  prompt_cache_options: dropped(saves),
  prompt_cache_retention: dropped(saves),
};
