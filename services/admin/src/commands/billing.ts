import { UsageError, type Command } from '../command.ts';
import { invariantNames } from '@gateway/store';

/** Seconds before work in flight counts as stuck. */
const defaultGraceSeconds = 60;

export const billingVerify: Command = {
  help: 'Check the invariants of the books in all rows; exit code 1 if one is violated',
  example: 'billing verify --json',
  options: {
    grace: {
      required: false,
      help: `seconds before work in flight counts as stuck (default ${defaultGraceSeconds})`,
    },
    resume: {
      required: false,
      flag: true,
      help: 'go on where the last check was interrupted, and not from the beginning',
    },
    'since-closing': {
      required: false,
      flag: true,
      help: 'begin at the last closed month of each account, and trust what is closed',
    },
  },
  async run(values, { ledger, audit, showProgress }) {
    const graceSeconds = Number(values['grace'] ?? defaultGraceSeconds);
    if (!Number.isInteger(graceSeconds) || graceSeconds < 0) {
      throw new UsageError(
        `--grace must be a whole number of seconds; got ${JSON.stringify(values['grace'])}`,
      );
    }
    const sinceClosing = values['since-closing'] === 'true';
    const resume = values['resume'] === 'true';
    if (sinceClosing && resume) {
      throw new UsageError('--since-closing is short and keeps no place: leave --resume out');
    }
    const violations = sinceClosing
      ? await ledger.verify({ graceSeconds, sinceClosing })
      : await audit.run({
          graceSeconds,
          resume,
          onProgress: ({ slices, expectedSlices, violations: found }) => {
            const percent = Math.floor((100 * slices) / expectedSlices);
            showProgress(`checking the books: ${percent} %, ${found} violations so far`);
          },
        });
    showProgress('');
    const exposures = await ledger.countExposures();
    const ok = violations.length === 0;
    return {
      ok,
      lines: [
        ...(ok
          ? [
              `the books are right${sinceClosing ? ' since their last closing' : ''}: ${invariantNames.length} invariants hold`,
            ]
          : violations.map(
              ({ invariant, subject, detail }) => `VIOLATED ${invariant}: ${subject}: ${detail}`,
            )),
        `vendor work that nobody is billed for: ${Object.entries(exposures)
          .map(([kind, count]) => `${kind} ${count}`)
          .join(', ')}`,
      ],
      data: { ok, invariants: invariantNames, violations, exposures },
    };
  },
};
