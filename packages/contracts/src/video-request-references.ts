import type { WrittenReference } from './video-references.ts';
import type { VendorCapabilities } from './video-vendors.ts';
import type { Violation } from './violation.ts';

/**
 * Checks that need more than the body: each returns undefined, or the problem in words that
 * continue the field’s name: "must be …".
 */
export interface AddressChecks {
  readonly callbackUrl: (text: string) => string | undefined;
  readonly referenceUrl: (text: string) => string | undefined;
  readonly dataUrl: (text: string, reference: WrittenReference) => string | undefined;
}

/** References in a form that this vendor does not take, or at an address that is not allowed. */
export function sourceViolations(
  references: readonly WrittenReference[],
  { capabilities, checks }: { capabilities: VendorCapabilities; checks: AddressChecks },
): Violation[] {
  return references.flatMap((reference): Violation[] => {
    const { type, text } = reference.source;
    if (type === 'data' && !capabilities.inlineKinds.includes(reference.kind)) {
      return [
        {
          code: 'unsupported_parameter',
          param: reference.param,
          message: `${reference.param} must be a URL or an asset id: this model takes no ${reference.kind} as a data: URL`,
        },
      ];
    }
    if (type === 'asset' || type === 'task') return [];
    if (type === 'url' && capabilities.urlKinds?.includes(reference.kind) === false) {
      return [
        {
          code: 'unsupported_parameter',
          param: reference.param,
          message: `${reference.param} must be an asset id or a data: URL: this model's vendor fetches no ${reference.kind} from an address`,
        },
      ];
    }
    const problem = type === 'url' ? checks.referenceUrl(text) : checks.dataUrl(text, reference);
    return problem === undefined
      ? []
      : [
          {
            code: 'invalid_parameter',
            param: reference.param,
            message: `${reference.param} ${problem}`,
          },
        ];
  });
}

export function audioViolations(
  references: readonly WrittenReference[],
  { audioNeedsPicture }: VendorCapabilities,
): Violation[] {
  const [first] = references;
  if (
    !audioNeedsPicture ||
    first === undefined ||
    references.some(({ kind }) => kind !== 'audio')
  ) {
    return [];
  }
  return [
    {
      code: 'invalid_parameter',
      param: first.param,
      message: `${first.param}: an audio reference needs an image or a video beside it`,
    },
  ];
}
