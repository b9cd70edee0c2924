import type { EndpointBody, EndpointPatch } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Endpoint, Endpoints } from '@gateway/store';
import type { AskConsent, WithConsent } from './test-callback.ts';

export interface EndpointPorts {
  readonly endpoints: Endpoints;
  /** What is wrong with an address, as a callback's; undefined when nothing is. */
  readonly problemOf: (url: string) => string | undefined;
  readonly withConsent: WithConsent;
  readonly newId: () => string;
  /** Of an account. */
  readonly most: number;
}

/** All throw endpoint_not_found for what is not the account's. */
export interface ManageEndpoints {
  readonly page: Endpoints['page'];
  find(id: string, accountId: string): Promise<Endpoint>;
  /**
   * Keeps an address and asks it for its consent. One that does not give it is kept all the same, and
   * nothing is pushed there. Throws invalid_callback_url, endpoint_exists, too_many_endpoints and
   * rate_limit_exceeded.
   */
  add(accountId: string, body: EndpointBody): Promise<Endpoint>;
  /** Asks once more, unless it has consented. Throws rate_limit_exceeded. */
  verify(id: string, accountId: string): Promise<Endpoint>;
  change(id: string, accountId: string, patch: EndpointPatch): Promise<Endpoint>;
  remove(id: string, accountId: string): Promise<void>;
}

export function createManageEndpoints({
  endpoints,
  problemOf,
  withConsent,
  newId,
  most,
}: EndpointPorts): ManageEndpoints {
  const find: ManageEndpoints['find'] = async (id, accountId) =>
    (await endpoints.find(id, accountId)) ?? fail();
  const verify = async (
    { id, url }: Endpoint,
    accountId: string,
    ask: AskConsent,
  ): Promise<Endpoint> =>
    // Another request may have had it verified meanwhile.
    (await endpoints.noteChallenge(id, await ask(url))) ?? find(id, accountId);
  return {
    page: endpoints.page,
    find,
    async add(accountId, body) {
      const problem = problemOf(body.url);
      if (problem !== undefined) {
        throw new GatewayError('invalid_callback_url', `url ${problem}`, { param: 'url' });
      }
      return withConsent(accountId, async (ask) => {
        const made = await endpoints.create({ ...body, id: newId(), accountId }, most);
        if (typeof made === 'string') throw refusals[made](most);
        return verify(made, accountId, ask);
      });
    },
    async verify(id, accountId) {
      const endpoint = await find(id, accountId);
      if (endpoint.verifiedAt !== null) return endpoint;
      return withConsent(accountId, (ask) => verify(endpoint, accountId, ask));
    },
    change: async (id, accountId, patch) =>
      (await endpoints.change(id, accountId, patch)) ?? fail(),
    async remove(id, accountId) {
      if (!(await endpoints.remove(id, accountId))) fail();
    },
  };
}

const refusals = {
  taken: () =>
    new GatewayError('endpoint_exists', 'the account has an endpoint with this url already', {
      param: 'url',
    }),
  full: (most: number) =>
    new GatewayError('too_many_endpoints', `an account may have ${most} endpoints at most`),
};

function fail(): never {
  throw new GatewayError('endpoint_not_found', 'there is no such endpoint in this account');
}
