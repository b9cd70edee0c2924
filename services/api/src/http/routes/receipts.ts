import { Router } from 'express';
import type { Receipt, IssueReceipt } from '../../use-cases/issue-receipt.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { onlyMethods } from '../methods.ts';

export interface ReceiptRoutesOptions {
  readonly authenticate: Authenticate;
  readonly issueReceipt: IssueReceipt<object>;
  /** Public keys, as JOSE writes them. */
  readonly published: readonly object[];
}

/** Where everybody finds the public keys. */
export const receiptKeysPath = '/.well-known/gateway-receipt-keys.json';
/** A new key may be added at any time. */
const keysMaxAgeSeconds = 300;

/** Receipts of videos, and the keys to check them with. */
export function receiptRoutes({
  authenticate,
  issueReceipt,
  published,
}: ReceiptRoutesOptions): Router {
  const router = Router();
  router
    .route('/v1/videos/:id/receipt')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const receipt = await issueReceipt(request.params.id, callerOf(response).accountId);
      response.set('cache-control', 'no-store').json(receiptResource(receipt));
    })
    .all(onlyMethods('GET'));
  router
    .route(receiptKeysPath)
    .get((_request, response) => {
      response
        .set({
          'access-control-allow-origin': '*',
          'cache-control': `public, max-age=${keysMaxAgeSeconds}`,
        })
        .json({ keys: published });
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}

const receiptResource = (receipt: Receipt<object>): object => ({
  object: 'video.receipt',
  ...receipt,
});
