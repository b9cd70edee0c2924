import { GatewayError, isId } from '@gateway/domain';
import { exposureResource, type ExposedWork } from './margin.ts';

/** Vendor work that nobody is billed for, as a list shows it. */
export interface ListedExposure extends ExposedWork {
  readonly id: number;
  /** Whose task it was; null where that is not known any more. */
  readonly accountId: string | null;
  /** What the vendor said that it made, or else what was asked for; null where neither is known any more. */
  readonly seconds: number | null;
}

/** Which exposures an operator asks for; what is left out is not asked for. */
export interface ExposureFilter<Kind extends string> {
  readonly kind: Kind | undefined;
  readonly provider: string | undefined;
  readonly accountId: string | undefined;
  readonly taskId: string | undefined;
}

type Texts = Readonly<Record<string, string | undefined>>;

/** The filters of the list, on the command line and over HTTP. */
export const exposureFilterNames = ['kind', 'provider', 'account', 'task'] as const;

/** Throws invalid_parameter. A provider that there is not fits nothing: exposures outlive it. */
export function readExposureFilter<Kind extends string>(
  { kind, provider, account, task }: Texts,
  kinds: readonly Kind[],
): ExposureFilter<Kind> {
  const known = kinds.find((each) => each === kind);
  if (kind !== undefined && known === undefined) {
    refuse('kind', kind, `one of ${kinds.join(', ')}`);
  }
  if (account !== undefined && !isId('account', account)) {
    refuse('account', account, 'the id of an account, such as acct_01h455vb4pex5vsknk084sn02q');
  }
  if (task !== undefined && !isId('task', task)) {
    refuse('task', task, 'the id of a task, such as video_01h455vb4pex5vsknk084sn02q');
  }
  return { kind: known, provider, accountId: account, taskId: task };
}

function refuse(param: string, text: string, mustBe: string): never {
  throw new GatewayError(
    'invalid_parameter',
    `${param} must be ${mustBe}; got ${JSON.stringify(text.slice(0, 80))}`,
    { param },
  );
}

export const listedExposureResource = (exposure: ListedExposure) => ({
  id: String(exposure.id),
  ...exposureResource(exposure),
  account_id: exposure.accountId,
  seconds: exposure.seconds,
});
