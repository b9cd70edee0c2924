import { ArkError } from './errors.ts';
import { taskStatuses } from '../tasks/task.ts';
import type { TaskQuery } from '../tasks/task-store.ts';

const refuse = (param: string, message: string): ArkError =>
  new ArkError('InvalidParameter', message, { param });

/**
 * Reads the query of a list; `filter.task_ids` is repeated once an id. Throws what the vendor
 * responds to a wrong one.
 */
export function readListQuery(query: Readonly<Record<string, unknown>>): TaskQuery {
  const one = (name: string): string | undefined => {
    const value = query[name];
    if (value === undefined || typeof value === 'string') return value;
    throw refuse(name, `${name} is given once.`);
  };
  const page = (name: string, absent: number): number => {
    const value = one(name);
    if (value === undefined) return absent;
    if (/^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 500) return Number(value);
    throw refuse(name, `${name} must be from 1 to 500.`);
  };
  const asked = one('filter.status');
  const status = taskStatuses.find((known) => known === asked);
  if (asked !== undefined && status === undefined) {
    throw refuse('filter.status', `filter.status must be one of ${taskStatuses.join(', ')}.`);
  }
  const taskIds = query['filter.task_ids'];
  const model = one('filter.model');
  const serviceTier = one('filter.service_tier');
  return {
    page: page('page_num', 1),
    pageSize: page('page_size', 10),
    ...(status !== undefined && { status }),
    ...(taskIds !== undefined && { taskIds: [taskIds].flat().map(String) }),
    ...(model !== undefined && { model }),
    ...(serviceTier !== undefined && { serviceTier }),
  };
}
