import { shapes, type Schema } from '@gateway/contracts';
import { pageOf, ref } from '../../http/resource-schemas.ts';
import type {
  currentSessionResource,
  sessionEndedResource,
  sessionResource,
} from '../../http/session-resource.ts';
import { keyScopeSchema } from '../../http/word-schemas.ts';
import { idSchema, pageParameters, respondsWith, type Operation } from '../operation.ts';

const { constant, described, flag, listOf, moment, orNull, schemaOf, text } = shapes;

const fields: Record<keyof ReturnType<typeof sessionResource>, Schema> = {
  id: text,
  object: constant('session'),
  user_agent: described(orNull(text), 'How its browser named itself when it signed in.'),
  current: described(flag, 'Whether it is the session of this request.'),
  created_at: moment,
  last_used_at: described(moment, 'To the minute; a session that is unused for two hours ends.'),
  expires_at: moment,
};

export const sessionSchemas: Readonly<Record<string, Schema>> = {
  Session: schemaOf(fields),
  CurrentSession: schemaOf<ReturnType<typeof currentSessionResource>>({
    ...fields,
    account_id: text,
    key_id: text,
    scopes: listOf(keyScopeSchema),
    models: described(orNull(listOf(text)), 'Null: every model.'),
    suspended: described(flag, 'Whether the account may begin no new work.'),
  }),
  SessionList: pageOf(ref('Session')),
  SessionDeleted: schemaOf<ReturnType<typeof sessionEndedResource>>({
    id: text,
    object: constant('session.deleted'),
    deleted: constant(true),
  }),
};

const consoleHeader: Operation['headers'] = [
  {
    name: 'x-gateway-console',
    schema: { type: 'string', enum: ['1'] },
    description:
      'Required of whatever a browser changes with a session: pages of other origins cannot send it.',
    example: '1',
  },
];
const how =
  'The response sets a cookie that scripts cannot read; with it the browser may use all of `/v1` as with the key, for eight hours, or until it is unused for two.';

const sessionIds = { id: 'session' } as const;

/** Browsers that signed in; see also `docs/sessions.md`. */
export const sessionOperations: readonly Operation[] = [
  {
    id: 'openSession',
    method: 'post',
    path: '/v1/session',
    tag: 'Sessions',
    access: 'any key',
    summary: 'Sign a browser in with an API key',
    description: `${how} A key has fifty sessions at most; one more ends the one that was unused for longest.`,
    headers: consoleHeader,
    responses: respondsWith('CurrentSession', 'The session.', ['Set-Cookie']),
    errors: ['foreign_page'],
  },
  {
    id: 'getSession',
    method: 'get',
    path: '/v1/session',
    tag: 'Sessions',
    access: 'session',
    summary: 'Read the session of this request',
    responses: respondsWith('CurrentSession', 'The session, and what its key may do.'),
    errors: ['session_not_found'],
  },
  {
    id: 'closeSession',
    method: 'delete',
    path: '/v1/session',
    tag: 'Sessions',
    access: 'session',
    summary: 'Sign out',
    headers: consoleHeader,
    responses: respondsWith('SessionDeleted', 'The session has ended.', ['Set-Cookie']),
    errors: ['session_not_found'],
  },
  {
    id: 'listSessions',
    method: 'get',
    path: '/v1/sessions',
    tag: 'Sessions',
    access: 'any key',
    summary: 'List the sessions of the key',
    query: pageParameters(idSchema('session')),
    responses: respondsWith('SessionList', 'Sessions that are valid, newest first.'),
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
  {
    id: 'endSession',
    method: 'delete',
    path: '/v1/sessions/{id}',
    tag: 'Sessions',
    access: 'any key',
    summary: 'End a session of the key',
    ids: sessionIds,
    headers: consoleHeader,
    responses: respondsWith(
      'SessionDeleted',
      'It has ended; every replica knows within five seconds.',
    ),
    errors: ['session_not_found'],
  },
  {
    id: 'adminOpenSession',
    method: 'post',
    path: '/admin/v1/session',
    tag: 'Administration',
    access: 'admin',
    summary: 'Sign an operator’s browser in',
    description:
      'The response sets a cookie for `/admin/v1`, valid for eight hours, or until it is unused for two. Another `ADMIN_TOKEN` ends all of them.',
    headers: consoleHeader,
    responses: respondsWith('Session', 'The session.', ['Set-Cookie']),
    errors: ['foreign_page'],
  },
  {
    id: 'adminGetSession',
    method: 'get',
    path: '/admin/v1/session',
    tag: 'Administration',
    access: 'operator session',
    summary: 'Read the session of this request',
    responses: respondsWith('Session', 'The session.'),
    errors: ['session_not_found'],
  },
  {
    id: 'adminCloseSession',
    method: 'delete',
    path: '/admin/v1/session',
    tag: 'Administration',
    access: 'operator session',
    summary: 'Sign out',
    headers: consoleHeader,
    responses: respondsWith('SessionDeleted', 'The session has ended.', ['Set-Cookie']),
    errors: ['session_not_found'],
  },
  {
    id: 'adminListSessions',
    method: 'get',
    path: '/admin/v1/sessions',
    tag: 'Administration',
    access: 'admin',
    summary: 'List the sessions of operators',
    query: pageParameters(idSchema('session')),
    responses: respondsWith('SessionList', 'Sessions that are valid, newest first.'),
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
  {
    id: 'adminEndSession',
    method: 'delete',
    path: '/admin/v1/sessions/{id}',
    tag: 'Administration',
    access: 'admin',
    summary: 'End a session of an operator',
    ids: sessionIds,
    headers: consoleHeader,
    responses: respondsWith('SessionDeleted', 'It has ended.'),
    errors: ['session_not_found'],
  },
];
