import { createAdministration, type CallbackSummary, type LoggedAttempt } from '@gateway/store';
import { UsageError, type Command } from '../command.ts';
import { knownAccount } from './accounts.ts';
import { taskIdOf, video } from './video-argument.ts';

const defaultOverlapSeconds = 86_400;
const longestOverlapSeconds = 604_800;
const mostShown = 100;

export const callbackLog: Command = {
  help: 'Show the delivery log of a task’s callback, newest first',
  example: 'callbacks log video_…',
  argument: video,
  options: {},
  async run(values, { callbackDeliveries }) {
    const taskId = taskIdOf(values);
    const summary = await callbackDeliveries.summary(taskId);
    const endpoints = await callbackDeliveries.endpointSummaries(taskId);
    if (summary === undefined && endpoints.length === 0) {
      throw new UsageError(`${taskId} has no callback`);
    }
    const { items: attempts, hasMore } = await callbackDeliveries.attempts({
      taskId,
      limit: mostShown,
    });
    return {
      ok: true,
      lines: [
        ...(summary === undefined ? [] : [standingOf(summary)]),
        ...endpoints.map((each) => `${each.endpointId} ${standingOf(each)}`),
        ...attempts.map(lineOf),
        ...(hasMore ? [`only the newest ${mostShown} are shown`] : []),
      ],
      data: { task_id: taskId, ...summary, endpoints, attempts },
    };
  },
};

const standingOf = ({
  state,
  stopReason,
  failures,
  pendingPushes,
  deliveredSequence,
}: CallbackSummary): string =>
  `${state}${stopReason === null ? '' : ` (${stopReason})`}: ${failures} failures in a row, ${pendingPushes} pushes pending, delivered up to event ${deliveredSequence ?? 'none'}`;

const lineOf = ({
  startedAt,
  sequence,
  status,
  attempt,
  trigger,
  attemptClass,
  httpStatus,
  durationMs,
  remoteAddress,
  detail,
  endpointId,
}: LoggedAttempt): string =>
  [
    startedAt.toISOString(),
    sequence === null ? 'challenge' : `event ${sequence} (${status ?? 'unknown'})`,
    `attempt ${attempt}${trigger === 'manual' ? ', requested' : ''}`,
    httpStatus === null ? attemptClass : `${attemptClass} ${httpStatus}`,
    `${durationMs} ms`,
    remoteAddress ?? '',
    endpointId ?? '',
    detail ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ');

export const callbackRedeliver: Command = {
  help: 'Push a task’s newest status again',
  example: 'callbacks redeliver video_…',
  argument: video,
  options: {},
  async run(values, { actions }) {
    const taskId = taskIdOf(values);
    if (!(await actions.redeliverTask(taskId))) {
      throw new UsageError(`${taskId} has no callback`);
    }
    return {
      ok: true,
      lines: [
        `${taskId} will be pushed again within seconds; to see the result: callbacks log ${taskId}`,
      ],
      data: { task_id: taskId, asked: true },
    };
  },
};

export const secretRotate: Command = {
  help: 'Rotate an account’s callback secret; the old one keeps signing for a while',
  example: 'callback-secret rotate --account acct_… --overlap 86400',
  options: {
    account: { required: true, help: 'account id' },
    overlap: {
      required: false,
      help: `seconds for which the old secret keeps signing (default ${defaultOverlapSeconds}, at most ${longestOverlapSeconds})`,
    },
  },
  async run(values, ports) {
    const accountId = await knownAccount(values, ports.accounts);
    const overlap = values['overlap'] ?? String(defaultOverlapSeconds);
    if (!/^\d{1,6}$/.test(overlap) || Number(overlap) > longestOverlapSeconds) {
      throw new UsageError(
        `--overlap must be a whole number of seconds up to ${longestOverlapSeconds}; got ${JSON.stringify(overlap)}`,
      );
    }
    const [current, ...before] = await createAdministration(ports).rotateSecret({
      accountId,
      overlapSeconds: Number(overlap),
    });
    const secret = current?.secret ?? '';
    return {
      ok: true,
      lines: [
        `callback secret (signs pushes from now on): ${secret}`,
        `older secrets that still sign: ${before.length}`,
      ],
      data: {
        account_id: accountId,
        callback_secret: secret,
        previous: before.map(({ createdAt, expiresAt }) => ({
          created_at: createdAt,
          expires_at: expiresAt,
        })),
      },
    };
  },
};

export const secretSeal: Command = {
  help: 'Seal every stored callback secret with the first key of CALLBACK_SECRET_KEYS',
  example: 'callback-secret seal',
  options: {},
  async run(_values, { callbackSecrets }) {
    const sealed = await callbackSecrets.sealAll();
    return { ok: true, lines: [`callback secrets sealed: ${sealed}`], data: { sealed } };
  },
};
