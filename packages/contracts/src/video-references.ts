import type { Violation } from './violation.ts';
import type { ContentItem, Locator, VideoRequestBody } from './video-request-schema.ts';
import type { VideoModel } from './configuration.ts';
import { mediaKinds, type MediaKind } from './media-kind.ts';
import type { ReferenceRole } from './task.ts';

/** A reference as the customer wrote it, and where in the body it stands. */
export interface WrittenReference {
  readonly kind: MediaKind;
  readonly role: ReferenceRole;
  /** `asset` and `task`: by the id of a file, or of a video, of the account's own. */
  readonly source: { readonly type: 'url' | 'data' | 'asset' | 'task'; readonly text: string };
  /** JSON path of the locator: `references[0].url`, `content[1].image_url.url`. */
  readonly param: string;
}

interface Draft {
  readonly kind: MediaKind;
  readonly role: string | undefined;
  readonly text: string;
  readonly byAssetId: boolean;
  readonly param: string;
  readonly roleParam: string;
}

/**
 * The references of either format, with missing roles filled in, and everything wrong with them for
 * this model.
 */
export function readReferences(
  body: VideoRequestBody,
  model: VideoModel,
): { references: WrittenReference[]; violations: Violation[] } {
  const drafts = body.content === undefined ? fromReferences(body) : fromContent(body.content);
  const onlyImage =
    drafts.length === 1 && drafts[0]?.kind === 'image' && model.frames.includes('first_frame');
  const violations: Violation[] = [];
  const references = drafts.map((draft): WrittenReference => {
    const role = (draft.role ??
      (onlyImage ? 'first_frame' : `reference_${draft.kind}`)) as ReferenceRole;
    if (kindOf(role) !== draft.kind) {
      violations.push({
        code: 'invalid_parameter',
        param: draft.roleParam,
        message: `${draft.roleParam} must fit a reference of type ${draft.kind}; got ${JSON.stringify(role)}`,
      });
    }
    return { kind: draft.kind, role, source: classify(draft, violations), param: draft.param };
  });
  return {
    references,
    violations: [
      ...violations,
      ...roleViolations(references, model),
      ...countViolations(references, model),
    ],
  };
}

const fromReferences = (body: VideoRequestBody): Draft[] =>
  (body.references ?? []).map(({ type, role, url }, index) => ({
    kind: type,
    role,
    text: url,
    byAssetId: false,
    param: `references[${index}].url`,
    roleParam: `references[${index}].role`,
  }));

const fromContent = (content: readonly ContentItem[]): Draft[] =>
  content.flatMap((item, index): Draft[] => {
    if (item.type === 'text') return [];
    const locator: Locator = locatorOf(item);
    const field = locator.asset_id === undefined ? 'url' : 'asset_id';
    return [
      {
        kind: item.type.slice(0, -'_url'.length) as MediaKind,
        role: item.role,
        text: locator[field] ?? '',
        byAssetId: field === 'asset_id',
        param: `content[${index}].${item.type}.${field}`,
        roleParam: `content[${index}].role`,
      },
    ];
  });

function locatorOf(item: Exclude<ContentItem, { type: 'text' }>): Locator {
  switch (item.type) {
    case 'image_url':
      return item.image_url;
    case 'video_url':
      return item.video_url;
    case 'audio_url':
      return item.audio_url;
  }
}

const kindOf = (role: ReferenceRole): MediaKind =>
  role === 'first_frame' || role === 'last_frame'
    ? 'image'
    : (role.slice('reference_'.length) as MediaKind);

function classify(
  { text, byAssetId, param }: Draft,
  violations: Violation[],
): WrittenReference['source'] {
  if (byAssetId || text.startsWith('asset_')) return { type: 'asset', text };
  if (text.startsWith('video_')) return { type: 'task', text };
  if (/^data:/i.test(text)) return { type: 'data', text };
  if (!/^https?:\/\//i.test(text)) {
    violations.push({
      code: 'invalid_parameter',
      param,
      message: `${param} must be an http(s) URL, a data: URL, an asset id or the id of a video; got ${JSON.stringify(text.slice(0, 60))}`,
    });
  }
  return { type: 'url', text };
}

function roleViolations(references: readonly WrittenReference[], model: VideoModel): Violation[] {
  const frames = references.filter(({ role }) => role === 'first_frame' || role === 'last_frame');
  const [first] = frames;
  if (first === undefined) return [];
  const count = (role: ReferenceRole): number =>
    frames.filter((frame) => frame.role === role).length;
  const param = first.param;
  const unsupported = frames.find(
    ({ role }) => !model.frames.includes(role as 'first_frame' | 'last_frame'),
  );
  const rules: readonly (readonly [broken: boolean, code: Violation['code'], message: string])[] = [
    [
      unsupported !== undefined,
      'unsupported_parameter',
      `${model.name} does not take the role ${unsupported?.role ?? ''}`,
    ],
    [
      frames.length < references.length,
      'invalid_parameter',
      'first_frame and last_frame must not be mixed with reference_* roles; use one kind of role',
    ],
    [
      count('first_frame') > 1 || count('last_frame') > 1,
      'invalid_parameter',
      'first_frame and last_frame may each be given once',
    ],
    [
      count('last_frame') === 1 && count('first_frame') === 0,
      'invalid_parameter',
      'last_frame needs a first_frame beside it',
    ],
  ];
  return rules
    .filter(([broken]) => broken)
    .map(([, code, message]) => ({ code, param, message: `${param}: ${message}` }));
}

function countViolations(references: readonly WrittenReference[], model: VideoModel): Violation[] {
  return mediaKinds.flatMap((kind): Violation[] => {
    const given = references.filter(
      (reference) => reference.kind === kind && reference.role === `reference_${kind}`,
    );
    const most = model.references[kind];
    const firstTooMany = given[most];
    if (firstTooMany === undefined) return [];
    const code = most === 0 ? 'unsupported_parameter' : 'invalid_parameter';
    const limit = most === 0 ? `no reference ${kind}s` : `at most ${most} reference ${kind}s`;
    return [
      {
        code,
        param: firstTooMany.param,
        message: `${firstTooMany.param}: ${model.name} takes ${limit}; got ${given.length}`,
      },
    ];
  });
}
