import { Router } from 'express';
import { marginReport, readDayPeriod, type Configuration } from '@gateway/contracts';
import type { MarginReads } from '@gateway/store';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';

export interface AdminMarginRoutesOptions {
  readonly marginOf: MarginReads['ofPeriod'];
  readonly quotaPerCurrency: () => Configuration['quotaPerCurrency'];
  readonly now: () => Date;
}

/** `GET /admin/v1/margin`: what videos brought in and what vendors asked for them. */
export function adminMarginRoutes({
  marginOf,
  quotaPerCurrency,
  now,
}: AdminMarginRoutesOptions): Router {
  const router = Router();
  router
    .route('/admin/v1/margin')
    .get(async (request, response) => {
      const period = readDayPeriod(knownQuery(request, ['from', 'to']), now());
      const report = await marginOf(period);
      response.json(marginReport(report, { ...period, rates: quotaPerCurrency() }));
    })
    .all(onlyMethods('GET'));
  return router;
}
