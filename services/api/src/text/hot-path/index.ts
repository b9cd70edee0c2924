export { createDeadlines, type Deadlines, type Timed } from './deadlines.ts';
export { nowOrLater } from './now-or-later.ts';
export { atTurnEnd } from './turn-end.ts';
export { sendNow, writeWhole } from './write-whole.ts';
export { inTurn } from './turn-start.ts';
