/** A decimal number without rounding: `digits` over 10^`places`. */
export interface Decimal {
  readonly digits: bigint;
  /** Digits after the point. */
  readonly places: number;
}

/**
 * The shortest decimal that means this number, which is not negative: 0.3 is three tenths, not the
 * binary fraction that a number holds.
 */
export const toDecimal = (value: number): Decimal => parseDecimal(String(value));

/** A decimal as it is written: `12`, `0.35`, `1e-7`. What is none reads as 0. */
export function parseDecimal(text: string): Decimal {
  const [, whole = '0', fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? [];
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}
