import { Router, type Request, type RequestHandler } from 'express';
import { readDayPeriod, type AdminRequestReader } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type {
  AccountOverview,
  AccountReads,
  Accounts,
  Administration,
  LedgerReads,
  OperatorActions,
  UsageReads,
} from '@gateway/store';
import { entryField } from '../../../use-cases/entry-id.ts';
import { listedIds } from '../../../use-cases/read-admin-query.ts';
import { pageNames, readPageQuery } from '../../../use-cases/read-page-query.ts';
import {
  accountResource,
  adjustmentResource,
  adminEntryResource,
  balanceResource,
  keyResource,
} from '../../admin-resource.ts';
import { secretResource } from '../../callback-resource.ts';
import { listOf } from '../../list-resource.ts';
import { onlyMethods } from '../../methods.ts';
import { usageResource } from '../billing.ts';
import { idempotencyKeyOf, knownQuery, requiredKeyOf } from '../../request-parts.ts';

export interface AdminAccountRoutesOptions {
  readonly read: AdminRequestReader;
  readonly administration: Administration;
  readonly accounts: AccountReads;
  readonly revokeKey: Accounts['revokeKey'];
  readonly actions: Pick<OperatorActions, 'changeAccount' | 'changeKey'>;
  readonly ledgerPage: LedgerReads['page'];
  readonly usageByDay: UsageReads['byDay'];
  readonly now: () => Date;
  /** Reads a JSON body, which may be absent. */
  readonly json: RequestHandler;
  readonly log: Pick<Log, 'info'>;
}

type Named = Request<{ id: string }>;

/**
 * `/admin/v1/accounts` and `/admin/v1/keys`: accounts, their keys, their quota and their callback
 * secret.
 */
export function adminAccountRoutes(options: AdminAccountRoutesOptions): Router {
  const router = Router();
  const named = async ({ params: { id } }: Named): Promise<AccountOverview> => {
    const account = isId('account', id) ? await options.accounts.find(id) : undefined;
    if (account === undefined) {
      throw new GatewayError('account_not_found', 'there is no such account');
    }
    return account;
  };
  addAccounts(router, options, named);
  addKeys(router, options, named);
  addMoney(router, options, named);
  addUsage(router, options, named);
  router
    .route('/admin/v1/accounts/:id/callback-secret/rotate')
    .post(options.json, async (request: Named, response) => {
      const { id: accountId } = await named(request);
      const overlapSeconds = options.read.overlapSeconds(request.body);
      response.json({
        account_id: accountId,
        ...secretResource(await options.administration.rotateSecret({ accountId, overlapSeconds })),
      });
    })
    .all(onlyMethods('POST'));
  return router;
}

type FindNamed = (request: Named) => Promise<AccountOverview>;

function addAccounts(
  router: Router,
  { read, administration, accounts, actions, json, log }: AdminAccountRoutesOptions,
  named: FindNamed,
): void {
  router
    .route('/admin/v1/accounts')
    .post(json, async (request, response) => {
      const { id, callbackSecret } = await administration.openAccount(read.account(request.body));
      const account = await accounts.find(id);
      if (account === undefined) throw new Error(`the account ${id} was made and is not there`);
      response
        .location(`/admin/v1/accounts/${id}`)
        .json({ ...accountResource(account), callback_secret: callbackSecret });
    })
    .get(async (request, response) => {
      response.json(
        listOf(
          await accounts.page(readPageQuery(knownQuery(request, pageNames), listedIds('account'))),
          accountResource,
        ),
      );
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/admin/v1/accounts/:id')
    .get(async (request: Named, response) => {
      response.json(accountResource(await named(request)));
    })
    .patch(json, async (request: Named, response) => {
      const { id: accountId } = await named(request);
      const changes = read.accountPatch(request.body);
      await actions.changeAccount(accountId, changes);
      const { suspended } = changes;
      if (suspended === undefined) log.info('account changed', { accountId });
      else log.info(suspended ? 'account suspended' : 'account resumed', { accountId });
      response.json(accountResource(await named(request)));
    })
    .all(onlyMethods('GET', 'PATCH'));
}

function addKeys(
  router: Router,
  { read, administration, accounts, revokeKey, actions, json, log }: AdminAccountRoutesOptions,
  named: FindNamed,
): void {
  const keyOf = async (keyId: string) => {
    const key = isId('key', keyId) ? await accounts.findKey(keyId) : undefined;
    if (key === undefined) throw new GatewayError('key_not_found', 'there is no such API key');
    return keyResource(key);
  };
  router
    .route('/admin/v1/accounts/:id/keys')
    .post(json, async (request: Named, response) => {
      const { id: accountId } = await named(request);
      const { id, apiKey } = await administration.makeKey({ accountId, ...read.key(request.body) });
      response.json({ ...(await keyOf(id)), api_key: apiKey });
    })
    .get(async (request: Named, response) => {
      const { id: accountId } = await named(request);
      response.json(
        listOf(
          await accounts.keys({
            accountId,
            ...readPageQuery(knownQuery(request, pageNames), listedIds('key')),
          }),
          keyResource,
        ),
      );
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/admin/v1/keys/:id')
    .delete(async (request: Named, response) => {
      const { id } = request.params;
      if (isId('key', id)) await revokeKey(id);
      response.json(await keyOf(id));
    })
    .patch(json, async (request: Named, response) => {
      const { id } = request.params;
      const { revoked_at: revokedAt } = await keyOf(id);
      const changes = read.keyPatch(request.body);
      if (revokedAt !== null || !(await actions.changeKey(id, changes))) {
        throw new GatewayError('key_not_found', 'the API key is revoked, which never changes');
      }
      log.info('key changed', { keyId: id });
      response.json(await keyOf(id));
    })
    .all(onlyMethods('DELETE', 'PATCH'));
}

function addMoney(
  router: Router,
  { read, administration, ledgerPage, json }: AdminAccountRoutesOptions,
  named: FindNamed,
): void {
  router
    .route('/admin/v1/accounts/:id/top-ups')
    .post(json, async (request: Named, response) => {
      const { id: accountId } = await named(request);
      const { quota, note } = read.topUp(request.body);
      const { outcome, balance } = await administration.topUp({
        accountId,
        quota,
        note,
        key: idempotencyKeyOf(request),
      });
      if (outcome === 'reused') response.set('idempotency-replayed', 'true');
      response.json({
        object: 'top_up',
        account_id: accountId,
        quota,
        added_quota: outcome === 'added' ? quota : 0,
        ...balanceResource(balance),
      });
    })
    .all(onlyMethods('POST'));
  router
    .route('/admin/v1/accounts/:id/adjustments')
    .post(json, async (request: Named, response) => {
      const { id: accountId } = await named(request);
      const { isDryRun, ...terms } = read.adjustment(request.body);
      const adjustment = { accountId, key: requiredKeyOf(request), ...terms };
      const adjusted = await administration.adjust(adjustment, { isDryRun });
      if (adjusted.outcome === 'reused') response.set('idempotency-replayed', 'true');
      response.json(adjustmentResource(adjustment, adjusted, isDryRun));
    })
    .all(onlyMethods('POST'));
  router
    .route('/admin/v1/accounts/:id/ledger')
    .get(async (request: Named, response) => {
      const { id: accountId } = await named(request);
      response.json(
        listOf(
          await ledgerPage({
            accountId,
            ...readPageQuery(knownQuery(request, pageNames), entryField),
          }),
          adminEntryResource,
        ),
      );
    })
    .all(onlyMethods('GET'));
}

function addUsage(
  router: Router,
  { usageByDay, now }: AdminAccountRoutesOptions,
  named: FindNamed,
): void {
  router
    .route('/admin/v1/accounts/:id/usage')
    .get(async (request: Named, response) => {
      const { from, to, model, key_id: keyId } = knownQuery(request, usageNames);
      const period = readDayPeriod({ from, to }, now());
      const { id: accountId } = await named(request);
      const days = await usageByDay({ accountId, ...period, model, keyId });
      response.json({ object: 'list', data: days.map(usageResource), ...period });
    })
    .all(onlyMethods('GET'));
}

const usageNames = ['from', 'to', 'model', 'key_id'];
