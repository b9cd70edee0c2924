// One process of `simulateInProcesses`.
import { weakeningOf } from './checks/protections.ts';
import { simulate } from './simulate.ts';
import type { Ask, Told } from './workers.ts';

process.on('message', ({ without, ...which }: Ask) => {
  void simulate({ ...which, ...weakeningOf(without) }).then(({ lines: _lines, ...told }) => {
    process.send?.(told satisfies Told);
  });
});
// PostgreSQL in this process would keep it alive.
process.once('disconnect', () => process.exit(0));
