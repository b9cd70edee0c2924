import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { createLedger, createTaskEndings, createTaskMoves } from '@gateway/store';
import { eventually, openReceiver, withPlace, type Receiver } from '@gateway/testing';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let receiver: Receiver | undefined;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage.close();
  await receiver?.close();
  receiver = undefined;
});

const remove = (taskId: string) => stage.request('DELETE', `/v1/videos/${taskId}`);
const read = (taskId: string) => stage.request('GET', `/v1/videos/${taskId}`);
const cleanBooks = async (): Promise<void> => {
  await expect(createLedger(stage.database).verify({ graceSeconds: 60 })).resolves.toEqual([]);
};

/** How many rows there are of a task, by table. */
async function rowsOf(taskId: string): Promise<Record<string, unknown>> {
  const tables = [
    'task_event',
    'media',
    'callback',
    'callback_push',
    'callback_attempt',
    'hold',
    'ledger_entry',
    'deleted_task',
  ];
  const counts = await Promise.all(
    tables.map(async (table) => [
      table,
      (await stage.sql(`SELECT count(*) AS count FROM ${table} WHERE task_id = $1`, taskId))[0]?.[
        'count'
      ],
    ]),
  );
  return {
    task: (await stage.sql('SELECT count(*) AS count FROM task WHERE id = $1', taskId))[0]?.[
      'count'
    ],
    ...Object.fromEntries(counts),
  };
}

/** What stays of a succeeded task: its money. */
const onlyTheBooks = {
  task: 0,
  task_event: 0,
  media: 0,
  callback: 0,
  callback_push: 0,
  callback_attempt: 0,
  hold: 1,
  ledger_entry: 2,
  deleted_task: 1,
};

async function aSettledVideo(more: object = {}): Promise<string> {
  const { id } = await stage.create('x', { return_last_frame: true, ...more });
  await stage.until(id, { status: 'succeeded' });
  await expect(stage.settled(id)).resolves.toEqual({
    charged: 50,
    entries: ['hold 50', 'charge 50'],
  });
  return id;
}

async function startAll(worker: Readonly<Record<string, string>> = {}): Promise<void> {
  await stage.startBilling();
  await stage.startApi();
  await stage.startWorker(worker);
}

describe('deleting a finished video', () => {
  it('removes record, files and delivery log, keeps the books, and looks from then on like a task that never was', async () => {
    receiver = await openReceiver();
    await startAll({ FFMPEG_PATH: ffmpeg.path });
    await stage.startDispatcher();
    const id = await aSettledVideo({ callback_url: receiver.url });
    await eventually(() => {
      expect(receiver!.pushes().at(-1)?.body.status).toBe('succeeded');
    });
    const { content } = (await read(id)).body;
    const video = new URL(content!.video_url);
    expect((await stage.request('GET', `${video.pathname}${video.search}`)).status).toBe(200);
    expect(await stage.files()).toHaveLength(3);
    const missing = await read('video_01m7z1mc2yfzz8gkvph7wn2q17');

    const response = await remove(id);

    expect([response.status, response.body]).toEqual([
      200,
      { id, object: 'video.deleted', deleted: true },
    ]);
    const after = await read(id);
    expect([after.status, after.text]).toEqual([404, missing.text]);
    for (const link of [content!.video_url, content!.last_frame_url!, content!.poster_url!]) {
      const address = new URL(link);
      const media = await stage.request('GET', `${address.pathname}${address.search}`);
      expect([media.status, media.body.error?.code]).toEqual([404, 'task_not_found']);
    }
    expect([(await remove(id)).text, (await stage.cancel(id)).text]).toEqual([
      missing.text,
      missing.text,
    ]);
    expect(await stage.files()).toEqual([]);
    expect(await rowsOf(id)).toEqual(onlyTheBooks);
    await cleanBooks();
  });

  it('twice at once is done once, and the other one finds nothing', async () => {
    await startAll();
    const id = await aSettledVideo();

    const responses = await Promise.all(Array.from({ length: 8 }, () => remove(id)));

    expect(responses.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array<number>(7).fill(404),
    ]);
    expect(await rowsOf(id)).toEqual(onlyTheBooks);
  });

  it('is refused while the task is on its way', async () => {
    await startAll();
    const { id } = await stage.create('[slow=1] x');

    const response = await remove(id);

    expect([response.status, response.body.error?.code]).toEqual([409, 'task_not_terminal']);
    await stage.until(id, { status: 'succeeded' });
  });

  it('never lets its idempotency key make it again: the key says that its task is gone', async () => {
    await startAll();
    const body = { model: 'sandbox-video', prompt: 'x' };
    const create = () =>
      stage.request('POST', '/v1/videos', { body, headers: { 'idempotency-key': 'order-7' } });
    const { id } = (await create()).body;
    await stage.until(id, { status: 'succeeded' });
    await stage.settled(id);
    await remove(id);

    const again = await create();

    expect([again.status, again.body.error?.code]).toEqual([409, 'idempotency_key_reused']);
    expect(await rowsOf(id)).toEqual(onlyTheBooks);
    expect((await stage.stats()).creates_received).toBe(1);
    await cleanBooks();
  });

  it('of an expired task goes on watching the vendor for the operator', async () => {
    await startAll();
    const { id } = await stage.create('[slow=3] x', { model: 'sandbox-brief' });
    await stage.until(id, { status: 'expired', step: 'late' });
    await stage.settled(id);

    expect((await remove(id)).status).toBe(200);

    expect((await read(id)).status).toBe(404);
    await eventually(async () => {
      expect(await stage.sql('SELECT kind FROM exposure WHERE task_id = $1', id)).toEqual([
        { kind: 'late_success' },
      ]);
    });
    await stage.until(id, { step: 'done' });
    await stage.startApi();
    await eventually(async () => {
      expect(await rowsOf(id)).toEqual(onlyTheBooks);
    });
  });
});

describe('deleting a task that is not settled', () => {
  it('waits for the settlement, which it hurries, and loses no charge', async () => {
    await stage.startBilling();
    await stage.startApi();
    const running = await aRunningTask();
    await finish(running);

    const response = await remove(running.id);

    expect(response.status).toBe(200);
    await expect(stage.settled(running.id)).resolves.toEqual({
      charged: 40,
      entries: ['hold 50', 'charge 40', 'release 10'],
    });
    await cleanBooks();
  });

  it('is refused when billing does not come to it, and nothing is gone', async () => {
    const billing = await stage.startBilling();
    await stage.startApi({ OUTCOME_WAIT_MS: '300' });
    const running = await aRunningTask();
    await finish(running);
    await billing.stop();

    const response = await remove(running.id);

    expect([
      response.status,
      response.body.error?.code,
      response.headers.get('retry-after'),
    ]).toEqual([503, 'billing_unavailable', '1']);
    expect((await read(running.id)).body.status).toBe('succeeded');
    await stage.startBilling({ SWEEP_MS: '100' });
    await stage.settled(running.id);
    expect((await remove(running.id)).status).toBe(200);
  });

  const aRunningTask = async () => {
    const { id } = await stage.create('x');
    const moves = createTaskMoves(stage.database);
    const claimed = await moves.claimSubmission(
      await withPlace(stage.database, await stage.until(id, { status: 'queued' })),
    );
    if (typeof claimed === 'string') throw new Error(claimed);
    return (await moves.move(claimed, 'accepted', {
      changes: { step: 'poll', vendorTaskId: 'vendor-1' },
    }))!;
  };
  const finish = (task: Awaited<ReturnType<typeof aRunningTask>>) =>
    createTaskMoves(stage.database).move(task, 'stored', {
      changes: {
        step: 'done',
        billed: { seconds: 4, quota: 40 },
        result: {
          seconds: 4,
          width: 640,
          height: 368,
          hasAudio: false,
          ratio: '16:9',
          resolution: '480p',
          seed: 7,
          completionTokens: 90,
          totalTokens: 90,
        },
      },
      media: [
        {
          variant: 'content',
          storageKey: `videos/${task.id}.mp4`,
          contentType: 'video/mp4',
          sizeBytes: 4,
          sha256: 'a'.repeat(64),
        },
      ],
    });
});

describe('a deletion that a kill cut off', () => {
  it.each([
    ['after the mark', false],
    ['between the files and the rows', true],
  ])(
    '%s is finished by the reconciler of the next process, and is complete for the customer already',
    async (_where, filesAreGone) => {
      await stage.startBilling();
      const api = await stage.startApi();
      await stage.startWorker();
      const id = await aSettledVideo();
      await expect(
        createTaskEndings(stage.database).markDeleted(id, stage.accountId),
      ).resolves.toBe('marked');
      if (filesAreGone) await rm(path.join(stage.storageDir, 'videos'), { recursive: true });

      expect((await read(id)).status).toBe(404);
      await cleanBooks();
      await api.stop();
      await stage.startApi();

      await eventually(async () => {
        expect(await rowsOf(id)).toEqual(onlyTheBooks);
      });
      expect(await stage.files()).toEqual([]);
      await cleanBooks();
    },
  );
});

describe('a deletion that meets a push', () => {
  it('under way ends it quietly: nothing more is sent, nothing fails, and no job is left', async () => {
    const held: (() => void)[] = [];
    receiver = await openReceiver(({ body }, response) => {
      if (!body.toString().includes('"succeeded"')) return false;
      held.push(() => {
        response.writeHead(500).end();
      });
      return true;
    });
    await startAll();
    const dispatcher = await stage.startDispatcher();
    const id = await aSettledVideo({ callback_url: receiver.url });
    await eventually(() => {
      expect(held).toHaveLength(1);
    });

    expect((await remove(id)).status).toBe(200);
    const sent = receiver.received.length;
    held[0]!();

    await eventually(() => {
      expect(dispatcher.log.lines.map(({ message }) => message)).toContain(
        'callback attempt not recorded: the task was deleted, or the claim lost to another dispatcher',
      );
    });
    expect(await rowsOf(id)).toEqual(onlyTheBooks);
    await dispatcher.stop();
    expect(receiver.received).toHaveLength(sent);
    expect(dispatcher.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('that waits for its retry ends it: the receiver never hears of the task again', async () => {
    receiver = await openReceiver(({ body }, response) => {
      if (!body.toString().includes('"succeeded"')) return false;
      response.writeHead(503).end();
      return true;
    });
    await startAll();
    const dispatcher = await stage.startDispatcher({ CALLBACK_RETRY_DELAYS_MS: '1500' });
    const id = await aSettledVideo({ callback_url: receiver.url });
    await eventually(async () => {
      expect(
        await stage.sql(
          `SELECT 1 FROM callback_attempt WHERE task_id = $1 AND class = 'http_error'`,
          id,
        ),
      ).toHaveLength(1);
    });

    await remove(id);
    const sent = receiver.received.length;
    const other = await aSettledVideo({ callback_url: receiver.url });

    await eventually(async () => {
      expect(
        await stage.sql(`SELECT 1 FROM callback WHERE task_id = $1 AND state = 'stopped'`, other),
      ).toHaveLength(1);
    });
    expect(
      receiver.received.slice(sent).filter(({ body }) => body.toString().includes(id)),
    ).toEqual([]);
    expect(dispatcher.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
