import type { Command } from '../command.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

export const dataStatus: Command = {
  help: 'Show what the tables weigh that grow with history, and which months have partitions',
  example: 'data status --json',
  options: {},
  async run(_values, { data }) {
    const [sizes, partitions] = [await data.sizes(), await data.partitions()];
    const ok = partitions.every(({ hasStrays }) => !hasStrays);
    return {
      ok,
      lines: [
        ...sizes.map(
          ({ table, rows, bytes, partitions: parts }) =>
            `${table}  about ${rows} rows, ${megabytes(bytes)}${parts > 0 ? `, ${parts} partitions` : ''}`,
        ),
        ...partitions.map(
          ({ table, until, hasStrays }) =>
            `${table} has partitions until ${new Date(until * 1_000).toISOString().slice(0, 10)}${hasStrays ? ', and rows without one' : ''}`,
        ),
      ],
      data: { ok, tables: sizes, partitions },
    };
  },
};
