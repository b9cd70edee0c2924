import type { ErrorCode } from '@gateway/domain';
import { ref } from '../../http/resource-schemas.ts';
import type { Body, Operation } from '../operation.ts';

export const ofTask = ['task_not_found'] as const;
export const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_parameter',
  'unknown_parameter',
  'missing_parameter',
  'payload_too_large',
  'unsupported_media_type',
  'overloaded',
];
export const listErrors: readonly ErrorCode[] = ['invalid_parameter', 'unknown_parameter'];

export const bodyOf = (component: string, summary: string, value: unknown): Body => ({
  content: {
    'application/json': { schema: ref(component), examples: { example: { summary, value } } },
  },
});

export const get = (
  id: string,
  path: string,
  rest: Pick<Operation, 'summary' | 'responses'> & Partial<Operation>,
): Operation => ({
  id,
  path,
  method: 'get',
  tag: 'Administration',
  access: 'admin',
  errors: [],
  ...rest,
});
export const post = (
  id: string,
  path: string,
  rest: Pick<Operation, 'summary' | 'responses'> & Partial<Operation>,
): Operation => ({ ...get(id, path, rest), method: 'post' });
