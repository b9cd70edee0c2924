import type { FactorName } from '@gateway/domain';

/** How soon a video is wanted; `flex` waits for idle machines and costs less. */
export const serviceTiers = ['standard', 'flex'] as const;
export type ServiceTier = (typeof serviceTiers)[number];

/** What is done to a source video; without one a video is made anew. */
export const videoTasks = ['extend', 'edit'] as const;
export type VideoTask = (typeof videoTasks)[number];

/** Larger is sooner, among the tasks that one account has at its vendor. */
export const largestPriority = 9;

/** What only some vendors can be asked for, and of them only some models. */
export const videoOptions = ['flex', 'draft', 'priority', ...videoTasks] as const;
export type VideoOption = (typeof videoOptions)[number];

/** What an option means for the other fields of a request. */
export interface OptionRules {
  /** Values that go with it: what a request leaves out becomes this, and nothing else may be said. */
  readonly fixes?: {
    readonly resolution?: string;
    readonly ratio?: string;
    readonly duration?: number;
  };
  /** What cannot be asked for beside it. */
  readonly excludes?: readonly (VideoOption | 'return_last_frame')[];
}

/** The options that a vendor's format can say; others are refused. */
export type VendorOptions = Readonly<Partial<Record<VideoOption, OptionRules>>>;

/** The options of a request; a request that names none has none of them. */
export interface RequestedOptions {
  readonly serviceTier?: ServiceTier | undefined;
  readonly draft?: boolean | undefined;
  readonly priority?: number | undefined;
  readonly task?: VideoTask | undefined;
}

/** As fields of the request and of the resource, where they were sent. */
export const optionFields = ({ serviceTier, draft, priority, task }: RequestedOptions) => ({
  ...(serviceTier !== undefined && { service_tier: serviceTier }),
  ...(draft !== undefined && { draft }),
  ...(priority !== undefined && { priority }),
  ...(task !== undefined && { task }),
});

/** Only the options of something that has more. */
export const optionsOf = ({
  serviceTier,
  draft,
  priority,
  task,
}: RequestedOptions): RequestedOptions => ({
  ...(serviceTier !== undefined && { serviceTier }),
  ...(draft !== undefined && { draft }),
  ...(priority !== undefined && { priority }),
  ...(task !== undefined && { task }),
});

/** The options by their names, and the field that asks for each. */
export const askedOf = ({
  serviceTier,
  draft,
  priority,
  task,
}: RequestedOptions): { readonly option: VideoOption; readonly param: string }[] => [
  ...(serviceTier === 'flex' ? [{ option: 'flex', param: 'service_tier' } as const] : []),
  ...(draft === true ? [{ option: 'draft', param: 'draft' } as const] : []),
  ...(priority === undefined ? [] : [{ option: 'priority', param: 'priority' } as const]),
  ...(task === undefined ? [] : [{ option: task, param: 'task' } as const]),
];

/** The factors of a price that go with the options. */
export const factorsOf = ({ serviceTier, draft }: RequestedOptions): FactorName[] => [
  ...(serviceTier === 'flex' ? (['flex'] as const) : []),
  ...(draft === true ? (['draft'] as const) : []),
];
