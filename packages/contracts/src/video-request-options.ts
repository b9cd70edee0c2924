import type { VideoModel } from './configuration.ts';
import {
  optionsOf,
  type OptionRules,
  type RequestedOptions,
  type VideoOption,
} from './video-options.ts';
import type { WrittenReference } from './video-references.ts';
import { given, isCut } from './video-request-fields.ts';
import type { VideoRequestBody } from './video-request-schema.ts';
import type { VendorCapabilities } from './video-vendors.ts';
import type { Violation } from './violation.ts';

interface AskedOption {
  readonly option: VideoOption;
  readonly param: 'service_tier' | 'draft' | 'priority' | 'task';
  /** The field with what it asks for, as the customer wrote it. */
  readonly written: string;
}

/** What says the same as leaving a field out asks for no option. */
function askedOptions({
  service_tier: serviceTier,
  draft,
  priority,
  task,
}: VideoRequestBody): AskedOption[] {
  return [
    ...(serviceTier === 'flex'
      ? [{ option: 'flex', param: 'service_tier', written: 'service_tier "flex"' } as const]
      : []),
    ...(draft === true ? [{ option: 'draft', param: 'draft', written: 'draft' } as const] : []),
    ...(priority === undefined
      ? []
      : [{ option: 'priority', param: 'priority', written: 'priority' } as const]),
    ...(task === undefined
      ? []
      : [{ option: task, param: 'task', written: `task "${task}"` } as const]),
  ];
}

export const requestedOptions = ({
  service_tier: serviceTier,
  draft,
  priority,
  task,
}: VideoRequestBody): RequestedOptions => optionsOf({ serviceTier, draft, priority, task });

/** What the options of a request decide for fields that it leaves out. */
export const fixedFields = (
  body: VideoRequestBody,
  { options }: VendorCapabilities,
): NonNullable<OptionRules['fixes']> =>
  askedOptions(body).reduce<NonNullable<OptionRules['fixes']>>(
    (fixed, { option }) => ({ ...fixed, ...options?.[option]?.fixes }),
    {},
  );

interface OptionQuestion {
  readonly model: VideoModel;
  readonly capabilities: VendorCapabilities;
  readonly references: readonly WrittenReference[];
}

/** Options that the model does not offer, and fields that do not go with those it does. */
export function optionViolations(body: VideoRequestBody, question: OptionQuestion): Violation[] {
  const { model, capabilities } = question;
  const asked = askedOptions(body);
  return asked.flatMap((each): Violation[] => {
    const rules = model.options.includes(each.option)
      ? capabilities.options?.[each.option]
      : undefined;
    return rules === undefined
      ? [
          {
            code: 'unsupported_parameter',
            param: each.param,
            message: `${each.written} is not supported by ${model.name}; leave it out`,
          },
        ]
      : [
          ...fixViolations(body, each, rules),
          ...exclusionViolations(body, each, { rules, asked, model }),
          ...sourceVideoViolations(each, question),
        ];
  });
}

function fixViolations(
  { resolution, ratio, aspect_ratio: aspectRatio, duration }: VideoRequestBody,
  { written }: AskedOption,
  { fixes = {} }: OptionRules,
): Violation[] {
  const said: readonly (readonly [param: string, value: unknown, fixed: unknown])[] = [
    ['resolution', resolution, fixes.resolution],
    [
      aspectRatio === undefined ? 'ratio' : 'aspect_ratio',
      given([ratio, aspectRatio], ''),
      fixes.ratio,
    ],
    ['duration', duration, fixes.duration],
  ];
  return said
    .filter(
      ([, value, fixed]) =>
        fixed !== undefined && value !== undefined && value !== '' && value !== fixed,
    )
    .map(([param, , fixed]) => ({
      code: 'invalid_parameter',
      param,
      message: `${param} must be left out with ${written}, with which it is always ${JSON.stringify(fixed)}`,
    }));
}

function exclusionViolations(
  body: VideoRequestBody,
  { option, written }: AskedOption,
  {
    rules: { excludes = [] },
    asked,
    model,
  }: {
    readonly rules: OptionRules;
    readonly asked: readonly AskedOption[];
    readonly model: VideoModel;
  },
): Violation[] {
  const others: readonly Pick<AskedOption, 'param' | 'written'>[] = asked.filter(
    (other) => other.option !== option && excludes.includes(other.option),
  );
  const asksVendorForFrame = body.return_last_frame === true && !isCut(model);
  return [
    ...others.map(({ param, written: other }): Violation => ({
      code: 'invalid_parameter',
      param,
      message: `${other} cannot be combined with ${written}; send one of them`,
    })),
    ...(asksVendorForFrame && excludes.includes('return_last_frame')
      ? [
          {
            code: 'invalid_parameter',
            param: 'return_last_frame',
            message: `return_last_frame cannot be combined with ${written}; send one of them`,
          } as const,
        ]
      : []),
  ];
}

/** Extending and editing need something to extend or edit. */
function sourceVideoViolations(
  { param, written }: AskedOption,
  { references }: OptionQuestion,
): Violation[] {
  return param !== 'task' || references.some(({ role }) => role === 'reference_video')
    ? []
    : [
        {
          code: 'invalid_parameter',
          param,
          message: `${written} needs a reference of type video: the source`,
        },
      ];
}
