import { call, type CallOutcome } from './customer.ts';
import type { TextOrder } from './plan.ts';
import type { StackCustomer } from './stack.ts';

/** What one text request came to. */
export interface TextExperience {
  readonly order: TextOrder;
  readonly response: CallOutcome;
  /** The whole response arrived: the body, and of a stream its last line. */
  readonly isWhole: boolean;
  readonly endedAtMs: number;
}

/** One chat completion, whose request id names the order. */
export async function askText(
  order: TextOrder,
  { baseUrl, customer }: { baseUrl: string; customer: StackCustomer },
): Promise<TextExperience> {
  const response = await call({
    ...customer,
    method: 'POST',
    url: `${baseUrl}/v1/chat/completions`,
    headers: { 'x-request-id': order.ref },
    body: {
      model: 'sandbox-chat',
      stream: order.stream,
      messages: [{ role: 'user', content: `Say something about ${order.ref}.` }],
    },
  });
  return { order, response, isWhole: isWhole(response, order), endedAtMs: Date.now() };
}

function isWhole(response: CallOutcome, { stream }: TextOrder): boolean {
  if (response.kind !== 'responded' || response.status !== 200) return false;
  return stream ? String(response.body).trimEnd().endsWith('data: [DONE]') : true;
}
