import { queries } from '../../../gateway/query-client.ts';
import { operatorWord } from '../../../gateway/session.ts';

/** After something about an account was changed: whatever is shown of it is read again. */
export function readAccountAgain(id: string): void {
  for (const name of ['account', 'keys', 'ledger']) {
    void queries.invalidateQueries({ queryKey: [operatorWord, name, id] });
  }
  void queries.invalidateQueries({ queryKey: [operatorWord, 'accounts'] });
  void queries.invalidateQueries({ queryKey: [operatorWord, 'journal'] });
}
