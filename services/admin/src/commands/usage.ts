import { readDayPeriod } from '@gateway/contracts';
import type { UsageDay } from '@gateway/store';
import type { Command } from '../command.ts';
import { readRequest } from '../requests.ts';
import { knownAccount } from './accounts.ts';

export const usage: Command = {
  help: 'Show what an account used by day, model and key: tokens, seconds, quota',
  example: 'usage --account acct_… --from 2026-11-01 --to 2026-11-30',
  options: {
    account: { required: true, help: 'account id' },
    from: { required: false, help: 'first day, in UTC (default: 30 days before the last)' },
    to: { required: false, help: 'last day, in UTC (default: today)' },
    model: { required: false, help: 'model name' },
    key: { required: false, help: 'key id' },
  },
  async run(values, { accounts, usageReads, now }) {
    const { from, to, model, key: keyId } = values;
    const period = readRequest(() => readDayPeriod({ from, to }, now()));
    const accountId = await knownAccount(values, accounts);
    const data = await usageReads.byDay({ accountId, ...period, model, keyId });
    return {
      ok: true,
      lines: [...data.map(lineOf), ...totalsOf(data, period)],
      data: { account_id: accountId, ...period, data },
    };
  },
};

const lineOf = ({ day, model, keyId, ...used }: UsageDay): string =>
  `${day}  ${model}  ${keyId}  ${usedIn(used)}`;

type Used = Pick<UsageDay, 'requests' | 'inputTokens' | 'outputTokens' | 'seconds' | 'quota'> &
  Pick<UsageDay, 'cachedInputTokens' | 'cacheWriteTokens'>;

function usedIn({
  requests,
  inputTokens,
  cachedInputTokens,
  cacheWriteTokens,
  outputTokens,
  seconds,
  quota,
}: Used): string {
  const tokens = inputTokens + cachedInputTokens + cacheWriteTokens;
  return [
    `${requests} requests`,
    ...(tokens + outputTokens === 0 ? [] : [`${tokens} tokens in, ${outputTokens} out`]),
    ...(seconds === 0 ? [] : [`${seconds} s of video`]),
    `${quota} quota`,
  ].join(', ');
}

const sums = [
  'requests',
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'outputTokens',
  'seconds',
  'quota',
] as const satisfies readonly (keyof Used)[];

function totalsOf(
  data: readonly UsageDay[],
  { from, to }: { readonly from: string; readonly to: string },
): string[] {
  if (data.length === 0) return [`nothing was used from ${from} to ${to}`];
  const total = Object.fromEntries(
    sums.map((name) => [name, data.reduce((sum, day) => sum + day[name], 0)]),
  ) as unknown as Used;
  return [`${from} to ${to}: ${usedIn(total)}`];
}
