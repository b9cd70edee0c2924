import {
  shapes,
  type exposureResource,
  type listedExposureResource,
  type marginReport,
  type marginResource,
  type marginTotal,
  type Schema,
} from '@gateway/contracts';
import { costSourceSchema, exposureKindSchema } from './word-schemas.ts';

const { constant, count, described, flag, listOf, moment, named, number } = shapes;
const { orNull, schemaOf, text, whole } = shapes;

const day = { type: 'string', format: 'date' } as const;
const decimal = (description: string): Schema => described(text, `${description}, as a decimal.`);

const figures = {
  videos: described(count, 'Videos that succeeded.'),
  videos_without_cost: described(count, 'Of those, the ones whose cost is not known.'),
  revenue_quota: described(count, 'What customers were billed.'),
  costs: listOf(
    named(
      'VendorCosts',
      schemaOf<ReturnType<typeof marginTotal>['costs'][number]>({
        currency: text,
        cost: decimal('What vendors asked for work that came to its end'),
        exposure: decimal('What they asked, or may have asked, for work that nobody is billed for'),
      }),
    ),
  ),
  cost_quota: described(
    orNull(count),
    'All costs and exposure in quota, rounded up; null without a rate for each of the currencies.',
  ),
  margin_quota: described(
    orNull(whole),
    'Revenue without costs and exposure; null while not all of that is known.',
  ),
};

const exposureFields: Record<keyof ReturnType<typeof exposureResource>, Schema> = {
  object: constant('exposure'),
  task_id: text,
  kind: exposureKindSchema,
  model: orNull(text),
  provider: text,
  vendor_task_id: orNull(text),
  detail: text,
  vendor_cost: described(
    orNull(text),
    'A decimal number; the most that it can cost while the vendor says nothing.',
  ),
  vendor_currency: orNull(text),
  cost_source: orNull(costSourceSchema),
  created_at: moment,
};

/** One item of `GET /admin/v1/exposures`. */
export const listedExposureSchema = schemaOf<ReturnType<typeof listedExposureResource>>({
  id: text,
  ...exposureFields,
  account_id: described(orNull(text), 'Null: not known any more.'),
  seconds: described(
    orNull(number),
    'What the vendor said that it made, or else what was asked for; null: not known any more.',
  ),
});

/** Response of `GET /admin/v1/margin`. */
export const marginSchema = schemaOf<ReturnType<typeof marginReport>>({
  object: constant('list'),
  data: listOf(
    schemaOf<ReturnType<typeof marginResource>>({
      object: constant('margin'),
      day,
      model: text,
      provider: text,
      ...figures,
    }),
  ),
  total: schemaOf<ReturnType<typeof marginTotal>>(figures),
  exposures: described(
    listOf(schemaOf<ReturnType<typeof exposureResource>>(exposureFields)),
    'Newest first, at most 1,000.',
  ),
  has_more_exposures: flag,
  from: day,
  to: day,
});
