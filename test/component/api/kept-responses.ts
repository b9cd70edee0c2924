import { createStoredResponses } from '@gateway/store';
import { aStoredResponse } from '../../contracts/stored-response.ts';
import type { TextStage } from './text-stage.ts';

type Database = Pick<TextStage, 'database'>;

/** The responses that are in the database for an account, oldest first. */
export async function keptBy(
  { database }: Database,
  accountId: string,
): Promise<readonly unknown[]> {
  const { rows } = await database.pool.query<{ response: string }>(
    'SELECT response FROM stored_response WHERE account_id = $1 ORDER BY created_at, id',
    [accountId],
  );
  return rows.map(({ response }) => JSON.parse(response) as unknown);
}

/** Keeps a response whose only item is this message of a user. */
export async function keepMessage(
  { database }: Database,
  { accountId, responseId, content }: { accountId: string; responseId: string; content: unknown },
): Promise<void> {
  const item = { id: `msg_of_${responseId}`, type: 'message', role: 'user', content };
  await createStoredResponses(database).keep([
    {
      ...aStoredResponse({ accountId, responseId, output: [] }),
      items: [{ itemId: item.id, isOutput: false, body: Buffer.from(JSON.stringify(item)) }],
    },
  ]);
}
