import type { Account } from '@gateway/client';

/** Whether an account has these words in its name, or begins its id with them; undefined: all have. */
export function accountFits(words: string): ((account: Account) => boolean) | undefined {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return undefined;
  return ({ id, name }) => {
    const text = name.toLowerCase();
    return parts.every((part) => text.includes(part) || id.startsWith(part));
  };
}
