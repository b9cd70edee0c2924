import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { openProcessStage, type ProcessStage } from '../component/api/api-process.ts';
import { asChat, behave, openUpstream } from '../component/api/text-stage.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Answer {
  readonly status: number;
  readonly body: {
    readonly id: string;
    readonly store: boolean;
    readonly error?: { readonly code: string | null; readonly message: string };
  };
}

interface Customer {
  ask(at: string, fields?: object): Promise<Answer>;
  read(at: string, id: string): Promise<Answer>;
}

/** Text without a price, which needs no database: what is kept is all that waits for it. */
async function openStage(): Promise<{ stage: ProcessStage; customer: Customer }> {
  const upstream = await openUpstream(behave);
  closing.push(upstream.close);
  const stage = await openProcessStage({
    leaseSeconds: 30,
    yaml: `
limits: { default_key: { requests_per_minute: 1000000, concurrent_requests: 1000 } }
providers:
  chat: { kind: chat, base_url: "${upstream.url}/v1", api_key: "\${KEY}" }
models:
  c: { kind: text, routes: [{ provider: chat, model: up-c }] }
`,
  });
  closing.push(stage.close);
  const { apiKey } = await stage.aKey(1_000);
  const headers = { 'content-type': 'application/json', ...asChat(apiKey) };
  const send = async (url: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url, { ...init, headers });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  return {
    stage,
    customer: {
      ask: (at, fields = {}) =>
        send(`${at}/v1/responses`, {
          method: 'POST',
          body: JSON.stringify({ model: 'c', input: 'Hello', ...fields }),
        }),
      read: (at, id) => send(`${at}/v1/responses/${id}`, {}),
    },
  };
}

const untilKept = (stage: ProcessStage, id: string): Promise<void> =>
  eventually(async () => {
    const { rows } = await stage.database.pool.query(
      'SELECT 1 FROM stored_response WHERE id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
  });

describe('an api process that is killed with responses that it has not kept yet', () => {
  it('loses those, and says so in the words from which clients recover', async () => {
    const { stage, customer } = await openStage();
    const kept = await customer.ask(stage.url);
    await untilKept(stage, kept.body.id);
    stage.wire.cut();
    const lost = await customer.ask(stage.url);
    expect(lost).toMatchObject({ status: 200, body: { store: true } });
    expect((await customer.read(stage.url, lost.body.id)).status).toBe(200);

    await stage.end('SIGKILL');
    stage.wire.mend();
    const url = await stage.startAnother();

    expect(await customer.read(url, kept.body.id)).toEqual(kept);
    expect(await customer.read(url, lost.body.id)).toMatchObject({
      status: 404,
      body: { error: { message: `Response with id '${lost.body.id}' not found.` } },
    });
    expect(await customer.ask(url, { previous_response_id: lost.body.id })).toMatchObject({
      status: 400,
      body: { error: { code: 'previous_response_not_found' } },
    });
    expect(await customer.ask(url, { previous_response_id: kept.body.id })).toMatchObject({
      status: 200,
    });
  });

  it('loses none of those that it kept, and none by half', async () => {
    const { stage, customer } = await openStage();
    const answered: Answer[] = [];
    const callers = Array.from({ length: 16 }, async () => {
      for (;;) answered.push(await customer.ask(stage.url));
    });
    const hungUp = Promise.allSettled(callers);
    await eventually(() => {
      expect(answered.length).toBeGreaterThan(300);
    });

    await stage.end('SIGKILL');
    await hungUp;
    const url = await stage.startAnother();

    const found = await Promise.all(answered.map(({ body }) => customer.read(url, body.id)));
    const lost = found.filter(({ status }) => status === 404).length;
    const isWhole = found.map((read, index) =>
      read.status === 404 ? true : JSON.stringify(read) === JSON.stringify(answered[index]),
    );
    expect(isWhole).not.toContain(false);
    // What waits is of the last moments.
    expect(lost).toBeLessThan(answered.length / 2);
    const { rows } = await stage.database.pool.query(
      'SELECT 1 FROM stored_response r WHERE (SELECT count(*) FROM stored_item i WHERE i.response_id = r.id) <> 2',
    );
    expect(rows).toEqual([]);
  });

  it('loses none when it is stopped in order', async () => {
    const { stage, customer } = await openStage();
    const answered = await Promise.all(Array.from({ length: 20 }, () => customer.ask(stage.url)));

    expect(await stage.end('SIGTERM')).toBe(0);
    const url = await stage.startAnother();

    for (const answer of answered) {
      expect(await customer.read(url, answer.body.id)).toEqual(answer);
    }
  });
});
