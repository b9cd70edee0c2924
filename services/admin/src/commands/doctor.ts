import type { Command } from '../command.ts';
import type { Diagnosis, DiagnosisStatus } from '../doctor/diagnosis.ts';

const marks: Readonly<Record<DiagnosisStatus, string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  skipped: 'skipped',
};

export const doctor: Command = {
  help: 'Check everything the services need; exit code 1 if something is wrong',
  example: 'doctor --json',
  options: {},
  async run(_values, { diagnose }) {
    const found = await diagnose();
    const bad = found.filter(({ status }) => status === 'failed').length;
    return {
      ok: bad === 0,
      lines: [
        ...tableOf(found),
        '',
        bad === 0 ? 'all is well' : `${bad} of ${found.length} checks failed`,
      ],
      data: { ok: bad === 0, checks: found },
    };
  },
};

/** One row per check, with its remedy below. */
function tableOf(found: readonly Diagnosis[]): string[] {
  const width = Math.max(0, ...found.map(({ check }) => check.length));
  return found.flatMap(({ check, status, detail, remedy }) => [
    `${marks[status].padEnd(8)} ${check.padEnd(width)}  ${detail.replaceAll('\n', `\n${' '.repeat(width + 9)}`)}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 11)}→ ${remedy}`]),
  ]);
}
