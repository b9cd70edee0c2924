import { parseDirectives, type DirectiveName } from '../tasks/directives.ts';
import { readContent, type Content } from './content-modes.ts';
import { readCreateBody, type CreateBody } from './create-schema.ts';
import { ArkError } from './errors.ts';
import { findModel, type FoundModel } from './models.ts';
import { readInputs } from '../tasks/inputs.ts';
import { resolveParameters, type ParameterRules } from './parameters.ts';
import type { Task, TaskFailure } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';

/** How a task ends whose ratio does not fit its frames. */
export const unfitRatio: TaskFailure = {
  code: 'InvalidParameter.TaskTypeConstraint',
  message: 'This kind of task needs the ratio adaptive.',
};

export interface CreateTaskOptions {
  readonly store: Pick<TaskStore, 'has' | 'get'>;
  readonly rules: ParameterRules;
  /**
   * Throws when the model has had too many creations; asked before anything of the body but its
   * model is looked at.
   */
  readonly admit: (model: string) => void;
  readonly now: () => number;
}

/**
 * Turns the body of a creation into a queued task, or throws the vendor's response. The task is
 * not stored yet.
 */
export function createTask({
  store,
  rules,
  admit,
  now,
}: CreateTaskOptions): (body: unknown) => Task {
  return (received) => {
    const body = readCreateBody(received);
    const found = findModel(body.model);
    if (found === undefined) {
      throw new ArkError(
        'InvalidEndpointOrModel',
        `The model or endpoint ${body.model} does not exist or you do not have access to it.`,
        { detail: 'NotFound', param: 'model' },
      );
    }
    admit(found.name);
    const content = readContent(body.content, found.model);
    const inputs = readInputs(
      body.content,
      (message, param) => new ArkError('InvalidParameter', message, { param }),
    );
    const { directives, problem } = parseDirectives(content.prompt);
    if (problem !== undefined) {
      throw new ArkError('InvalidParameter', problem, { param: 'content' });
    }
    const refusal = Object.entries(refusals).find(
      ([name]) => directives[name as DirectiveName] !== undefined,
    )?.[1];
    if (refusal !== undefined) throw refusal();
    const createdAtMs = now();
    const task: Task = {
      id: newTaskId({ store, rules, now }),
      format: 'ark',
      model: found.name,
      requestedModel: body.model,
      prompt: content.prompt,
      directives,
      parameters: resolveParameters(body, { model: found.model, mode: content.mode }, rules),
      ...(inputs.length > 0 && { inputs }),
      ...(body.callback_url !== undefined && { callbackUrl: checkedUrl(body.callback_url) }),
      ...(clashesLate(body, content, found) && { lateProblem: unfitRatio }),
      createdAtMs,
      updatedAtMs: createdAtMs,
      status: 'queued',
    };
    return content.draftTaskId === undefined
      ? task
      : fromDraft(task, store.get(content.draftTaskId));
  };
}

/** The responses of the directives that refuse a creation. */
const refusals: Readonly<Partial<Record<DirectiveName, () => ArkError>>> = {
  reject: () =>
    new ArkError(
      'InvalidParameter',
      'The parameter `content` is not valid: rejected as the prompt asks.',
      { param: 'content' },
    ),
  'moderate-input': () =>
    new ArkError(
      'InputTextSensitiveContentDetected',
      'The request failed because the input text may contain sensitive information.',
      { param: 'content' },
    ),
  'rate-limited': () => tooManyCreates(),
  busy: () =>
    new ArkError(
      'ServerOverloaded',
      'The service is currently overloaded. Please try again later.',
    ),
  overdue: () => new ArkError('AccountOverdueError', 'The account has an overdue balance.'),
};

/** The response to more creations a minute than the account may make. */
export const tooManyCreates = (): ArkError =>
  new ArkError('RateLimitExceeded', 'The requests per minute of this endpoint are used up.', {
    detail: 'EndpointRPMExceeded',
  });

function checkedUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new ArkError('InvalidParameter', 'callback_url must be an http(s) URL.', {
    param: 'callback_url',
  });
}

/** The newest model accepts such tasks and fails them later, unless the kind of task was named. */
function clashesLate(
  { ratio, omni_reference_task_type: kind }: CreateBody,
  { mode }: Content,
  { model }: FoundModel,
): boolean {
  if (!model.adaptiveFrames || ratio === undefined || ratio === 'adaptive') return false;
  if (kind === 'edit' || kind === 'extend') {
    throw new ArkError('InvalidParameter', unfitRatio.message, {
      detail: 'TaskTypeConstraint',
      param: 'ratio',
    });
  }
  return mode === 'first_frame' || mode === 'first_and_last_frame';
}

/** Renders a draft again in full: what it shows and how long it is come from the draft. */
function fromDraft(task: Task, draft: Task | undefined): Task {
  if (draft?.status !== 'succeeded' || draft.parameters.echo['draft'] !== true) {
    throw new ArkError('InvalidParameter', 'draft_task.id must name a draft that has succeeded.', {
      param: 'content[0].draft_task.id',
    });
  }
  const { ratio, seconds, seed } = draft.parameters;
  return {
    ...task,
    prompt: draft.prompt,
    parameters: {
      ...task.parameters,
      ratio,
      seconds,
      seed,
      echo: { ...task.parameters.echo, draft_task_id: draft.id },
    },
  };
}

const idLetters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** `cgt-<UTC time>-<five letters>`, as the vendor writes it. */
function newTaskId(options: Pick<CreateTaskOptions, 'store' | 'rules' | 'now'>): string {
  const { store, rules, now } = options;
  const time = new Date(now()).toISOString().replace(/\D/g, '').slice(0, 14);
  const letters = Array.from(
    { length: 5 },
    () => idLetters[Math.floor(rules.random() * idLetters.length)],
  ).join('');
  const id = `cgt-${time}-${letters}`;
  return store.has(id) ? newTaskId(options) : id;
}
