import { dropped, type FieldRules, refused, translated, unless } from '../request-fields.ts';
import { reasoningFields } from './read-reasoning.ts';

const noSearch = 'this upstream does not search by such a field';
const withoutSearch = 'leave it out, or search yourself and send what was found';
const noGrammar = 'this upstream cannot be held to it';
const withSchema = 'leave it out, or send response_format with a json_schema';
const sampling = 'about sampling; the other dialect has no word for it';
const routing = 'the gateway has routes of its own';

/** Fields of `POST /v1/chat/completions` towards an upstream of the messages dialect. */
export const chatFields: FieldRules = {
  modalities: refused('this upstream puts out text only', 'leave it out, or send ["text"]', {
    words: '`["text"]`',
    holds: (value) => Array.isArray(value) && value.every((kind) => kind === 'text'),
  }),
  logprobs: refused(
    'this upstream reports no probabilities',
    'leave it out, or send false',
    unless(false),
  ),
  top_logprobs: refused(
    'this upstream reports no probabilities',
    'leave it out, or send 0',
    unless(0),
  ),
  web_search_options: refused(noSearch, withoutSearch),
  search_parameters: refused(noSearch, withoutSearch, {
    words: '`mode: off`',
    holds: (value) => (value as { mode?: unknown }).mode === 'off',
  }),
  enable_search: refused(noSearch, withoutSearch, unless(false)),
  plugins: refused('they run at another vendor', withoutSearch),
  documents: refused('this upstream has no such field', 'send them in messages'),
  grammar: refused(noGrammar, withSchema),
  guided_choice: refused(noGrammar, withSchema),
  guided_grammar: refused(noGrammar, withSchema),
  guided_json: refused(noGrammar, withSchema),
  guided_regex: refused(noGrammar, withSchema),
  structured_outputs: refused(noGrammar, withSchema),
  model: translated("the upstream's name of the model"),
  messages: translated(),
  stream: translated(),
  stream_options: translated('`include_usage` is heeded here'),
  max_tokens: translated(),
  max_completion_tokens: translated('`max_tokens`'),
  temperature: translated('the same, at most 1, where the model takes it'),
  top_p: translated('the same, where the model takes it'),
  top_k: translated('the same, where the model takes it'),
  stop: translated('`stop_sequences`'),
  n: translated('1 only; more is refused'),
  tools: translated('`tools`; types other than `function` and `custom` are refused'),
  tool_choice: translated(),
  parallel_tool_calls: translated('`tool_choice.disable_parallel_tool_use`'),
  functions: translated('`tools`'),
  function_call: translated('`tool_choice`'),
  response_format: translated('`output_config.format`, a tool, or words'),
  user: translated('`metadata.user_id`'),
  safety_identifier: translated('`metadata.user_id`'),
  service_tier: translated('the same, where the upstream has tiers'),
  ...Object.fromEntries(
    reasoningFields.map((field) => [field, translated('`thinking`, `output_config.effort`')]),
  ),
  output_config: translated('the same; `format` as `response_format`'),
  audio: dropped('about a voice that nobody hears'),
  frequency_penalty: dropped(sampling),
  logit_bias: dropped(sampling),
  metadata: dropped('a note for the vendor'),
  models: dropped(routing),
  prediction: dropped('saves the vendor work'),
  presence_penalty: dropped(sampling),
  prompt_cache_key: dropped('saves the vendor work'),
  provider: dropped(routing),
  seed: dropped(sampling),
  store: dropped('a note for the vendor'),
  verbosity: dropped('a leaning, not a question'),
};
