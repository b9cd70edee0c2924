export { createDeadlines, type Deadlines, type Timed } from './deadlines.ts';
export { isoTime } from './iso-time.ts';
export { nowOrLater } from './now-or-later.ts';
export { createRequestLines, type RequestLines } from './request-lines.ts';
export { atTurnEnd } from './turn-end.ts';
export { sendNow, writeWhole } from './write-whole.ts';
