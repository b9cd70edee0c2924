import { call, type Answer } from './customer.ts';
import type { TextWish } from './plan.ts';
import type { StackCustomer } from './stack.ts';

/** What one text request came to. */
export interface TextExperience {
  readonly wish: TextWish;
  readonly answer: Answer;
  /** The whole answer arrived: the body, and of a stream its last line. */
  readonly isWhole: boolean;
  readonly endedAtMs: number;
}

/** One chat completion, whose request id names the wish. */
export async function askText(
  wish: TextWish,
  { baseUrl, customer }: { baseUrl: string; customer: StackCustomer },
): Promise<TextExperience> {
  const answer = await call({
    ...customer,
    method: 'POST',
    url: `${baseUrl}/v1/chat/completions`,
    headers: { 'x-request-id': wish.ref },
    body: {
      model: 'sandbox-chat',
      stream: wish.stream,
      messages: [{ role: 'user', content: `Say something about ${wish.ref}.` }],
    },
  });
  return { wish, answer, isWhole: isWhole(answer, wish), endedAtMs: Date.now() };
}

function isWhole(answer: Answer, { stream }: TextWish): boolean {
  if (answer.kind !== 'answered' || answer.status !== 200) return false;
  return stream ? String(answer.body).trimEnd().endsWith('data: [DONE]') : true;
}
