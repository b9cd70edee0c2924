import { Router } from 'express';
import {
  exposureFilterNames,
  listedExposureResource,
  readExposureFilter,
} from '@gateway/contracts';
import { exposureKinds, type ExposureLists } from '@gateway/store';
import { countedIds } from '../../../use-cases/read-admin-query.ts';
import { pageNames, readPageQuery } from '../../../use-cases/read-page-query.ts';
import { listOf } from '../../list-resource.ts';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';

/** `GET /admin/v1/exposures`: vendor work that nobody is billed for, one by one. */
export function adminExposureRoutes({ page }: ExposureLists): Router {
  const router = Router();
  router
    .route('/admin/v1/exposures')
    .get(async (request, response) => {
      const query = knownQuery(request, [...pageNames, ...exposureFilterNames]);
      const found = await page({
        ...readPageQuery(query, countedIds),
        ...readExposureFilter(query, exposureKinds),
      });
      response.json(listOf(found, listedExposureResource));
    })
    .all(onlyMethods('GET'));
  return router;
}
