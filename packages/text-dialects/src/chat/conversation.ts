import type { Part, TextPart, Turn } from '../neutral.ts';
import { pairResults, type Entry } from './pair-results.ts';

/** Instructions before the conversation, then its turns with each tool's result right behind its call. */
export function conversationOf(entries: readonly Entry[]): { system: TextPart[]; turns: Turn[] } {
  const start = entries.findIndex(({ kind }) => kind !== 'system');
  const leading = start < 0 ? entries : entries.slice(0, start);
  const system = leading.flatMap((entry) => (entry.kind === 'system' ? entry.parts : []));
  return { system, turns: turnsOf(pairResults(start < 0 ? [] : entries.slice(start))) };
}

/** What follows the results of tools joins their turn. */
function turnsOf(entries: readonly Entry[]): Turn[] {
  const turns: { role: Turn['role']; parts: Part[] }[] = [];
  for (const entry of entries) {
    const role = entry.kind === 'result' ? 'user' : entry.kind;
    const parts: readonly Part[] = entry.kind === 'result' ? [entry.result] : entry.parts;
    const last = turns.at(-1);
    if (role === 'user' && last?.role === 'user') for (const part of parts) last.parts.push(part);
    else turns.push({ role, parts: [...parts] });
  }
  return turns;
}
