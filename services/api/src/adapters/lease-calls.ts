import {
  compileOnce,
  leaseResponseSchema,
  type LeaseRequest,
  type LeaseResponse,
} from '@gateway/contracts';
import {
  insist,
  isPassing,
  openBillingCalls,
  RefusedError,
  type BillingCallsOptions,
} from './billing-calls.ts';

/** Asks billing for leases; rejects when no response can be had. Asking again is safe. */
export type AskForLeases = (request: LeaseRequest) => Promise<LeaseResponse>;

const validate = compileOnce<LeaseResponse>(leaseResponseSchema);

/** Calls for which text requests wait, where many accounts are served. */
export function createLeaseCalls({
  retries,
  ...options
}: BillingCallsOptions & { readonly retries: number }): AskForLeases {
  const post = openBillingCalls(options)('internal/leases');
  const askOnce = async (body: string): Promise<LeaseResponse> => {
    const response = await post(body);
    if (response.statusCode !== 200) {
      await response.body.dump();
      if (isPassing(response.statusCode)) throw new Error('billing is not available');
      throw new RefusedError(`billing answered ${response.statusCode}`);
    }
    const leases = await response.body.json();
    if (validate(leases)) return leases;
    throw new RefusedError('billing returned something other than leases');
  };
  return (request) => {
    const body = JSON.stringify(request);
    return insist(retries, () => askOnce(body));
  };
}
