import { deliveryStateNames, shapes, type Schema } from '@gateway/contracts';
import { attemptClasses } from '@gateway/domain';
import { exposureKinds, keyScopes, ledgerKinds } from '@gateway/store';

const { named, oneOf } = shapes;

/** Words that several schemas share: each is one component of the document. */
export const callbackOutcomeSchema: Schema = named('CallbackOutcome', oneOf(attemptClasses));
export const deliveryStateSchema: Schema = named('DeliveryState', oneOf(deliveryStateNames));
export const callbackStopReasonSchema: Schema = named(
  'CallbackStopReason',
  oneOf(['gone', 'blocked', 'mismatch', 'exhausted']),
);
export const costSourceSchema: Schema = named('CostSource', oneOf(['reported', 'calculated']));
export const exposureKindSchema: Schema = named('ExposureKind', oneOf(exposureKinds));
export const keyScopeSchema: Schema = named('KeyScope', oneOf(keyScopes));
export const ledgerKindSchema: Schema = named('LedgerEntryKind', oneOf(ledgerKinds));
