import { urlOf, type MediaItem } from '../tasks/inputs.ts';
import type { ContentItem } from './create-schema.ts';
import { ArkError } from './errors.ts';
import type { Model } from './models.ts';

/** What a creation asks for; the modes exclude each other. */
export type ContentMode =
  'text' | 'first_frame' | 'first_and_last_frame' | 'reference' | 'draft_task';

export interface Content {
  readonly mode: ContentMode;
  /** Empty when there is no text. */
  readonly prompt: string;
  readonly draftTaskId?: string;
}

const refuse = (message: string, param = 'content'): ArkError =>
  new ArkError('InvalidParameter', message, { param });

/** Decides the mode of a content list, or throws the vendor's response to one that fits none. */
export function readContent(items: readonly ContentItem[], model: Model): Content {
  const texts = items.filter((item) => item.type === 'text');
  const drafts = items.filter((item) => item.type === 'draft_task');
  const media = items.filter(
    (item): item is MediaItem => item.type !== 'text' && item.type !== 'draft_task',
  );
  if (texts.length > 1) throw refuse('content takes one text item.');
  items.forEach((item, index) => {
    checkUrl(item, `content[${index}]`);
  });
  const prompt = texts[0]?.text ?? '';
  if (drafts.length > 0) return draftOf(items, model);
  if (media.length === 0) {
    if (prompt.trim() === '') {
      throw new ArkError(
        'MissingParameter',
        'content needs a text that is not empty, or an image, video or audio clip.',
        { param: 'content' },
      );
    }
    return { mode: 'text', prompt };
  }
  return { mode: mediaMode(media, model), prompt };
}

function draftOf(items: readonly ContentItem[], model: Model): Content {
  const [only] = items;
  if (items.length > 1 || only?.type !== 'draft_task') {
    throw refuse('a draft_task stands alone in content.');
  }
  if (!model.fields.includes('draft')) throw refuse('this model has no drafts.');
  return { mode: 'draft_task', prompt: '', draftTaskId: only.draft_task.id };
}

function mediaMode(media: readonly MediaItem[], model: Model): ContentMode {
  const references = media.filter(({ role }) => role?.startsWith('reference_'));
  if (references.length === media.length) {
    checkReferences(media, model);
    return 'reference';
  }
  if (references.length > 0) {
    throw refuse('first and last frames cannot be mixed with reference media.');
  }
  return frameMode(media);
}

function frameMode(media: readonly MediaItem[]): ContentMode {
  const images = media.filter((item) => item.type === 'image_url');
  if (images.length < media.length) {
    throw refuse('a video or an audio clip needs the role reference_video or reference_audio.');
  }
  const roles = images
    .map(({ role }) => role ?? 'none')
    .sort()
    .join(' ');
  if (roles === 'none' || roles === 'first_frame') return 'first_frame';
  if (roles === 'first_frame last_frame') return 'first_and_last_frame';
  throw refuse(
    'images without a reference role are one first_frame, or one first_frame and one last_frame.',
  );
}

function checkReferences(media: readonly MediaItem[], model: Model): void {
  for (const [kind, most] of Object.entries(model.references)) {
    const count = media.filter(({ type }) => type === `${kind}_url`).length;
    if (count > most) {
      throw refuse(
        `this model takes at most ${most} reference items of the kind ${kind}; got ${count}.`,
      );
    }
  }
  if (!model.audioAlone && media.every(({ type }) => type === 'audio_url')) {
    throw refuse('this model takes audio only beside an image or a video.');
  }
}

const urlForms = {
  image_url: {
    pattern: /^(https?:\/\/|asset:\/\/|data:image\/[a-z0-9.+-]+;base64,)/,
    says: 'an http(s) URL, an asset:// id or data:image/<lower case>;base64,…',
  },
  video_url: { pattern: /^(https?:\/\/|asset:\/\/)/, says: 'an http(s) URL or an asset:// id' },
  audio_url: {
    pattern: /^(https?:\/\/|asset:\/\/|data:audio\/[a-z0-9.+-]+;base64,)/,
    says: 'an http(s) URL, an asset:// id or data:audio/<lower case>;base64,…',
  },
} as const;

function checkUrl(item: ContentItem, path: string): void {
  if (item.type === 'text' || item.type === 'draft_task') return;
  const { pattern, says } = urlForms[item.type];
  if (pattern.test(urlOf(item))) return;
  const param = `${path}.${item.type}.url`;
  throw item.type === 'image_url'
    ? new ArkError('InvalidImageURL', `\`${param}\` must be ${says}.`, {
        detail: 'UnsupportedForm',
        param,
      })
    : refuse(`\`${param}\` must be ${says}.`, param);
}
