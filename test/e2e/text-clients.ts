import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultSettingsMiddleware, wrapLanguageModel, type LanguageModel } from 'ai';
import AnthropicPrevious from 'anthropic-sdk-previous';
import OpenAI from 'openai';
import OpenAIPrevious from 'openai-previous';
import { eventually } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from './harness.ts';

/** Hundreds of lines about settings that a provider leaves out, on purpose here. */
globalThis.AI_SDK_LOG_WARNINGS = false;

/** One model for each dialect that an upstream may speak. */
export const models = ['sandbox-messages', 'sandbox-chat', 'sandbox-responses'] as const;
export type Model = (typeof models)[number];

/** The least output that the model's vendor takes, or what is asked for here. */
export const fewTokens = (model: Model): number => (model === 'sandbox-responses' ? 16 : 5);

/** Stands in every prompt and must stand in no log. */
const secretPhrase = 'the grey heron of Alcochete';
export const prompt = (text: string): string => `${secretPhrase} ${text}`;

/** Which client, on which model; a previous major is used through the types of the current one. */
const onBoth = <Client>(
  clients: readonly (readonly [name: string, client: Client])[],
): (readonly [name: string, model: Model, client: Client])[] =>
  clients.flatMap(([name, client]) => models.map((model) => [name, model, client] as const));

export const chatSdks = onBoth<typeof OpenAI>([
  ['openai 7', OpenAI],
  ['openai 6', OpenAIPrevious as unknown as typeof OpenAI],
]);

export const messagesSdks = onBoth<typeof Anthropic>([
  ['@anthropic-ai/sdk 1', Anthropic],
  ['@anthropic-ai/sdk 0.137', AnthropicPrevious as unknown as typeof Anthropic],
]);

export interface AiSdk {
  open(options: { baseURL: string; apiKey: string }): (model: string) => LanguageModel;
  /** Whether it shows what a model thought. */
  readonly showsReasoning: boolean;
  /** Left out where it sends stop sequences. */
  readonly takesStops?: false;
}

export const aiSdks = onBoth<AiSdk>([
  ['@ai-sdk/anthropic', { open: (options) => createAnthropic(options), showsReasoning: true }],
  [
    '@ai-sdk/openai .chat()',
    { open: (options) => createOpenAI(options).chat, showsReasoning: false },
  ],
  [
    '@ai-sdk/openai',
    {
      // Its default model speaks responses; what it would refer to by id is not kept.
      open: (options) => (model) =>
        wrapLanguageModel({
          model: createOpenAI(options)(model),
          middleware: defaultSettingsMiddleware({
            settings: { providerOptions: { openai: { store: false } } },
          }),
        }),
      showsReasoning: true,
      takesStops: false,
    },
  ],
  [
    '@ai-sdk/openai-compatible',
    {
      open: (options) =>
        createOpenAICompatible({
          name: 'gateway',
          includeUsage: true,
          supportsStructuredOutputs: true,
          ...options,
        }),
      showsReasoning: true,
    },
  ],
]);

/** A red square of 2 × 2. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';
/** One empty page. */
export const pdf = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
).toString('base64');
/** Large enough to be prepared beside other requests' streams. */
export const largePng = Buffer.concat([
  Buffer.from(png, 'base64'),
  Buffer.alloc(1_000_000),
]).toString('base64');
export const sizeOf = (base64: string): number => Buffer.byteLength(base64, 'base64');

/** Asked for in one turn, returned in the next. */
export const twoCalls = prompt(
  '[call=get_weather {"city":"Lisbon"}] [call=get_time {"zone":"WET"}] what is it like there?',
);
export const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
export const timeSchema = {
  type: 'object',
  properties: { zone: { type: 'string' } },
  required: ['zone'],
  additionalProperties: false,
} as const;
export const placeSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
} as const;
export const placeCompletion = { city: expect.any(String), degrees: expect.any(Number) };

/** A phrase of the sandbox's completions, for stop sequences. */
export const stopPhrase = 'plain way';

/** What goes wrong in the middle of a stream, by the sandbox's directive. */
export const brokenStreams = [
  'error-mid-stream',
  'early-end',
  'cut-mid-stream',
  'garbage',
] as const;

interface VendorRequest {
  readonly body: unknown;
  readonly outcome: 'active' | 'finished' | 'aborted' | 'broken';
}

export interface TextStage {
  readonly gateway: SuiteUnderTest;
  readonly customer: Customer;
  /** For the messages SDKs. */
  readonly rootUrl: string;
  /** For all others. */
  readonly versionedUrl: string;
  /**
   * A model on the same upstream that nobody else uses, so that its failures close no route to
   * others.
   */
  modelToBreak(like: Model): string;
  /** What the vendor says of the requests whose body holds this text. */
  vendorRequests(text: string): Promise<VendorRequest[]>;
  /** Until the vendor works on such a request. */
  untilVendorHas(text: string): Promise<void>;
}

const modelsToBreak = 60;

/**
 * A model whose first route, to the vendor of this one, finds nothing there, and whose next leads
 * to another vendor.
 */
export const fallbackModelOf = (model: Model): string => `${model}-with-fallback`;
const otherThan = (model: Model): Model => models[(models.indexOf(model) + 1) % models.length]!;

const modelYaml = (name: string, ...routes: string[]): string =>
  `  ${name}:\n    kind: text\n    max_output_tokens: 8192\n    token_quota: { input: 3, output: 15, cached_input: 0.3, per: 1000 }\n    routes:\n${routes.map((route) => `      - { ${route} }\n`).join('')}`;

/** Those to break have another name than the upstream's. */
const moreModels = models
  .flatMap((model) => [
    ...Array.from({ length: modelsToBreak }, (_unused, number) =>
      modelYaml(`${model}-${number}`, `provider: ${model}, model: upstream-${number}`),
    ),
    modelYaml(
      fallbackModelOf(model),
      `provider: ${model}, model: missing-one`,
      `provider: ${otherThan(model)}, model: ${otherThan(model)}, fallback: true`,
    ),
  ])
  .join('');

const quota = 1_000_000;

/**
 * Starts the suite for one file of tests and, when they are done, looks at what they left behind.
 */
export function onTextStage(tests: (stage: () => TextStage) => void): void {
  let stage: TextStage | undefined;
  const current = (): TextStage => {
    if (stage === undefined) throw new Error('the suite has not started');
    return stage;
  };
  beforeAll(async () => {
    stage = await openTextStage();
  });
  afterAll(async () => {
    await stage?.gateway.close();
  });
  tests(current);
  describe('a suite after all this text', () => {
    itLeavesCleanBooks(current);
    itKeepsSecrets(current);
  });
}

async function openTextStage(): Promise<TextStage> {
  const gateway = await openSuite({ moreModels });
  const customer = await gateway.aCustomer(quota);
  let broken = 0;
  const vendorRequests: TextStage['vendorRequests'] = async (text) => {
    const { requests } = (await (
      await fetch(`${gateway.suite.sandboxUrl}/control/text`)
    ).json()) as { requests: VendorRequest[] };
    return requests.filter(({ body }) => JSON.stringify(body).includes(text));
  };
  return {
    gateway,
    customer,
    rootUrl: gateway.suite.baseUrl,
    versionedUrl: `${gateway.suite.baseUrl}/v1`,
    modelToBreak: (like) => `${like}-${broken++ % modelsToBreak}`,
    vendorRequests,
    untilVendorHas: (text) =>
      eventually(async () => {
        expect((await vendorRequests(text)).map(({ outcome }) => outcome)).toEqual(['active']);
      }),
  };
}

/** Waits for the vendor to see the client gone: a second is promised, on a machine that has time. */
export async function expectAborted(stage: TextStage, text: string): Promise<void> {
  await eventually(
    async () => {
      expect((await stage.vendorRequests(text)).map(({ outcome }) => outcome)).toEqual(['aborted']);
    },
    { withinMs: 5_000 },
  );
}

interface UsageRow {
  readonly model: string;
  readonly requests: number;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly quota: number;
}

function itLeavesCleanBooks(current: () => TextStage): void {
  const usageOf = async (customer: Customer): Promise<UsageRow[]> =>
    ((await customer.request('GET', '/v1/usage')).body as { data: UsageRow[] }).data;

  it.each(models)('counts a request to %s and the tokens that its response told', async (model) => {
    const newcomer = await current().gateway.aCustomer(quota);
    const { status, body } = await newcomer.request('POST', '/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: prompt('count me') }],
    });
    expect(status).toBe(200);
    const { prompt_tokens: input, completion_tokens: output } = (body as OpenAI.ChatCompletion)
      .usage!;

    const [row, ...others] = await eventually(async () => {
      const rows = await usageOf(newcomer);
      expect(rows).not.toEqual([]);
      return rows;
    });

    expect(others).toEqual([]);
    expect(row).toMatchObject({ model, requests: 1, output_tokens: output });
    expect(row!.input_tokens + row!.cached_input_tokens + row!.cache_write_tokens).toBe(input);
    expect(
      (await usageOf(current().customer)).find((one) => one.model === model)?.requests,
    ).toBeGreaterThan(3);
  });

  it('charges what usage shows, whole units at a time, in books that an operator can verify', async () => {
    await eventually(async () => {
      const run = await current().gateway.admin('billing', 'verify', '--grace', '0', '--json');
      expect(JSON.parse(run.output)).toMatchObject({ ok: true, violations: [] });
      expect(run.code).toBe(0);
      const charged = (await usageOf(current().customer)).reduce((sum, row) => sum + row.quota, 0);
      expect(charged).toBeGreaterThan(0);
      const { body } = await current().customer.request('GET', '/v1/billing/balance');
      expect(body).toMatchObject({ balance_quota: quota - Math.floor(charged) });
      // Next to nothing of what the account has stays leased for some minutes.
      expect((body as { held_quota: number }).held_quota).toBeLessThanOrEqual(quota / 100);
    });
  });
}

function itKeepsSecrets(current: () => TextStage): void {
  it('has written neither a key nor a prompt to any log', () => {
    const {
      gateway: { suite },
      customer,
    } = current();

    const logs = ['api', 'billing', 'video-worker', 'callback-dispatcher', 'sandbox-vendor']
      .map((service) => suite.logs.read(service))
      .join('\n');

    expect(logs).toContain(customer.accountId);
    for (const secret of [
      customer.apiKey,
      suite.serviceToken,
      suite.secrets.sandbox_api_key,
      secretPhrase,
    ]) {
      expect(logs).not.toContain(secret);
    }
  });
}
