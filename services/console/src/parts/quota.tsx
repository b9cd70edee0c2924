import { numberText } from './format.ts';

/** A sum that the gateway named; nothing is added up here. */
export function Quota({ value }: { value: number }) {
  return <span className="quota">{numberText(value)}</span>;
}
