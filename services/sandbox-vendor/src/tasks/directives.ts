import {
  listDirectives,
  readDirectives,
  type Argument,
  type DirectiveSpec,
  type Found,
  type ListedDirective,
} from '../directive-syntax.ts';

const count: Argument = { unit: 'count', min: 0, max: 1_000 };
const pause: Argument = { unit: 'seconds', min: 0, max: 86_400 };

interface VideoDirectiveSpec extends DirectiveSpec {
  readonly when: 'creation' | 'life' | 'poll' | 'file';
}

/**
 * Everything the sandbox can be told by words in the prompt of a video. `GET /` shows this table.
 */
export const directiveTable = {
  reject: { when: 'creation', description: 'refused at creation: 400 InvalidParameter' },
  'moderate-input': {
    when: 'creation',
    description: 'refused at creation: 400 InputTextSensitiveContentDetected',
  },
  'rate-limited': {
    when: 'creation',
    description: 'refused at creation: 429 RateLimitExceeded.EndpointRPMExceeded',
  },
  busy: { when: 'creation', description: 'refused at creation: 429 ServerOverloaded' },
  overdue: { when: 'creation', description: 'refused at creation: 403 AccountOverdueError' },
  'lose-answer': {
    when: 'creation',
    description: 'accepts the task, then drops the connection without responding',
  },
  late: {
    when: 'creation',
    argument: pause,
    description: 'accepts the task and responds so much later',
  },
  slow: { when: 'life', argument: pause, description: 'runs so much longer' },
  stall: { when: 'life', description: 'never finishes; only execution_expires_after ends it' },
  fail: { when: 'life', description: 'ends as failed with InternalServiceError' },
  moderate: {
    when: 'life',
    description: 'ends as failed with OutputVideoSensitiveContentDetected',
  },
  expire: { when: 'life', description: 'ends as expired' },
  'no-output': { when: 'life', description: 'ends as succeeded without a video_url' },
  actual: {
    when: 'life',
    argument: { unit: 'seconds', min: 0.5, max: 60 },
    description: 'renders this length instead of the asked one, and reports it',
  },
  claim: {
    when: 'life',
    argument: { unit: 'whole seconds', min: 0, max: 3_600 },
    description: 'reports this length whatever was rendered',
  },
  'missing-polls': {
    when: 'poll',
    argument: count,
    description: 'the first so many GETs of the task return 404',
  },
  'poll-errors': {
    when: 'poll',
    argument: count,
    description: 'the first so many GETs of the task return 500, 502 and truncated JSON in turn',
  },
  'odd-status': {
    when: 'poll',
    argument: count,
    description: 'the first so many GETs of the task show a status that no document names',
  },
  truncated: { when: 'file', description: 'the file ends before its content-length' },
  'not-mp4': { when: 'file', description: 'the link delivers an HTML page' },
  'redirect-private': { when: 'file', description: 'the link redirects to a private address' },
  'file-errors': {
    when: 'file',
    argument: count,
    description: 'the first so many downloads return 503',
  },
} as const satisfies Readonly<Record<string, VideoDirectiveSpec>>;

export type DirectiveName = keyof typeof directiveTable;

/** The directives of one prompt; one without an argument has the value 1. */
export type Directives = Found<typeof directiveTable>;

/** The directives in the prompt of a video and, when one is written wrong, what would be right. */
export const parseDirectives = (
  prompt: string,
): { readonly directives: Directives; readonly problem?: string } =>
  readDirectives(directiveTable, prompt);

/** The table for `GET /`. */
export const directiveList = (): readonly ListedDirective[] => listDirectives(directiveTable);

/** What one poll of a task gets, by the number of the poll, counted from 1. */
export type PollResponse =
  'task' | 'missing' | 'odd_status' | 'status_500' | 'status_502' | 'truncated';

const errorTurns = ['status_500', 'status_502', 'truncated'] as const;

export function pollResponse(directives: Directives, poll: number): PollResponse {
  const missing = directives['missing-polls'] ?? 0;
  const errors = directives['poll-errors'] ?? 0;
  if (poll <= missing) return 'missing';
  if (poll <= missing + errors) {
    return errorTurns[(poll - missing - 1) % errorTurns.length] ?? 'status_500';
  }
  return poll <= missing + errors + (directives['odd-status'] ?? 0) ? 'odd_status' : 'task';
}
