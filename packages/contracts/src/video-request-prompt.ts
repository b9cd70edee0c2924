import type { VideoModel } from './configuration.ts';
import type { ContentItem, VideoRequestBody } from './video-request-schema.ts';
import type { VendorCapabilities } from './video-vendors.ts';
import type { Violation } from './violation.ts';

/** The prompt of either format. */
export const promptOf = (body: VideoRequestBody): string =>
  body.prompt ??
  (body.content ?? []).flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');

export function promptViolations(
  body: VideoRequestBody,
  prompt: string,
  { model, capabilities }: { model: VideoModel; capabilities: VendorCapabilities },
): Violation[] {
  const { content, param } =
    body.content === undefined
      ? { content: undefined, param: 'prompt' }
      : { content: body.content, param: 'content' };
  const flag = vendorFlag(prompt, capabilities);
  const blank = prompt.trim() === '';
  const rules: readonly Rule[] = [
    ...(content === undefined
      ? ownFormatRules(body, blank)
      : contentRules(content, { blank, model })),
    [
      prompt.length > model.promptMaxCharacters,
      'invalid_parameter',
      `${param} must have a text of at most ${model.promptMaxCharacters} characters; got ${prompt.length}`,
    ],
    [
      flag !== undefined,
      'invalid_parameter',
      `${param} must not contain the vendor flag ${JSON.stringify(flag ?? '')}; use the fields of the request (ratio, duration, resolution, seed, watermark)`,
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, code, message]) => ({ code, param, message }));
}

type Rule = readonly [broken: boolean, code: Violation['code'], message: string];

const ownFormatRules = ({ prompt }: VideoRequestBody, blank: boolean): Rule[] => [
  [
    prompt === undefined,
    'missing_parameter',
    'prompt is required (or content, in the other format)',
  ],
  [prompt !== undefined && blank, 'invalid_parameter', 'prompt must not be empty'],
];

function contentRules(
  content: readonly ContentItem[],
  { blank, model }: { blank: boolean; model: VideoModel },
): Rule[] {
  const texts = content.filter(({ type }) => type === 'text').length;
  return [
    [
      texts === 0 && !model.mediaOnly,
      'missing_parameter',
      'content must hold exactly one item of type text',
    ],
    [texts === 1 && blank, 'invalid_parameter', 'content must hold a text that is not blank'],
    [
      texts > 1,
      'invalid_parameter',
      `content must hold exactly one item of type text; got ${texts}`,
    ],
  ];
}

/** A token in the prompt that this vendor would read as a parameter. */
export const vendorFlag = (
  prompt: string,
  { promptFlags }: VendorCapabilities,
): string | undefined => promptFlags?.exec(prompt)?.[0].trim();
