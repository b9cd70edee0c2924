import type { Fields } from '../json.ts';

export type ItemStatus = 'completed' | 'incomplete';

/** An item of a response's output that is being written; one is open at a time. */
export interface OutputItem {
  /** The item as it is, without telling anything. */
  item(status: ItemStatus): Fields;
  /** Tells its end, and gives the item as it stays. */
  close(status: ItemStatus): Fields;
}

/** Where an item stands. */
export interface ItemPlace {
  readonly id: string;
  readonly index: number;
}

/** The fields of its events that say so. */
export const placeOf = ({ id, index }: ItemPlace): Fields => ({
  item_id: id,
  output_index: index,
});

/** The same as JSON without the braces. */
export const placeText = ({ id, index }: ItemPlace): string =>
  `"item_id":"${id}","output_index":${index}`;
