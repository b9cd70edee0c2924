import type { VendorUsage } from '@gateway/contracts';
import { costPlaces, costText, scaledCost } from '@gateway/domain';
import { readNumber, readText } from './vendor-value.ts';

/** More is nonsense of a vendor's. */
const maxAmount = 1_000_000_000;

/** An amount of money as a decimal; undefined for what is none, or is below zero. */
function readAmount(value: unknown): string | undefined {
  const number = readNumber(value);
  if (number === undefined || number < 0 || number > maxAmount) return undefined;
  const written = typeof value === 'string' ? value : number.toFixed(costPlaces);
  return costText(scaledCost(written));
}

/** What a vendor charges, where it names an amount and a currency. */
export function readMoney(amount: unknown, currency: unknown): VendorUsage['cost'] {
  const [read, code] = [readAmount(amount), readText(currency)?.toUpperCase()];
  return read === undefined || code === undefined || !/^[A-Z]{3}$/.test(code)
    ? undefined
    : { amount: read, currency: code };
}

/** A whole number of such parts of a unit of money: 10^-places each. */
export function readTicks(ticks: unknown, places: number): string | undefined {
  const number = readNumber(ticks);
  if (number === undefined || !Number.isSafeInteger(number) || number < 0) return undefined;
  return costText(BigInt(number) * 10n ** BigInt(costPlaces - places));
}
