import fc from 'fast-check';

const radixes = ['dec', 'hex', 'HEX', 'oct'] as const;
type Radix = (typeof radixes)[number];

const inRadix = (value: number, radix: Radix, zeros: number): string => {
  const padding = '0'.repeat(zeros);
  if (radix === 'dec') return String(value); // a leading zero would make it octal
  if (radix === 'oct') return `0${padding}${value.toString(8)}`;
  return `${radix === 'hex' ? '0x' : '0X'}${padding}${value.toString(16)}`;
};

const fullWidth = (text: string): string =>
  text.replace(/[0-9a-z]/gi, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
const percent = (text: string): string =>
  text.replace(/[0-9]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
const circled = (text: string): string =>
  text.replace(/[1-9]/g, (sign) => String.fromCharCode(0x2460 + Number(sign) - 1));
/** How a stranger may disguise the text of a host; the URL parser undoes all of it. */
const disguises = [
  (text: string) => text,
  fullWidth,
  percent,
  circled,
  (text: string) => text.replaceAll('.', '。'),
  (text: string) => text.replaceAll('.', '．'),
  (text: string) => `${text}.`,
  (text: string) => `${text.slice(0, 1)}\t${text.slice(1)}`,
  (text: string) => `${text}\n`,
];

/** The last of `count` parts holds what is left: `127.1`, `2130706433`. */
function partsOf(value: number, count: number): number[] {
  const heads = Array.from(
    { length: count - 1 },
    (_, index) => (value >>> (24 - 8 * index)) & 0xff,
  );
  return [...heads, value % 2 ** (8 * (5 - count))];
}

/** Spellings of one IPv4 address that the URL parser reads as that address. */
export const ipv4Spelling = (value: number): fc.Arbitrary<string> =>
  fc
    .record({
      count: fc.integer({ min: 1, max: 4 }),
      radixes: fc.array(fc.constantFrom(...radixes), { minLength: 4, maxLength: 4 }),
      zeros: fc.integer({ min: 0, max: 3 }),
      disguise: fc.constantFrom(...disguises),
    })
    .map(({ count, radixes: chosen, zeros, disguise }) =>
      disguise(
        partsOf(value, count)
          .map((part, index) => inRadix(part, chosen[index] ?? 'dec', zeros))
          .join('.'),
      ),
    );

const dotted = (value: number): string => partsOf(value, 4).join('.');
const hex = (value: number): string =>
  `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;

/**
 * IPv6 forms that carry an IPv4 address. The first is that address itself; the others lead to it
 * through some translator.
 */
export const carriers: Readonly<Record<string, (value: number) => string>> = {
  'mapped, dotted': (value) => `[::ffff:${dotted(value)}]`,
  'mapped, hexadecimal': (value) => `[0:0:0:0:0:FFFF:${hex(value)}]`,
  compatible: (value) => `[::${dotted(value)}]`,
  'translated (SIIT)': (value) => `[::ffff:0:${hex(value)}]`,
  NAT64: (value) => `[64:ff9b::${dotted(value)}]`,
  'NAT64, local': (value) => `[64:ff9b:1::${hex(value)}]`,
  '6to4': (value) => `[2002:${hex(value)}::1]`,
  'Teredo server': (value) => `[2001:0:${hex(value)}::1]`,
  'Teredo client': (value) => `[2001::${hex((value ^ 0xffffffff) >>> 0)}]`,
};

/** The same 128 bits with and without `::`, in either case, with the zeros kept. */
export const ipv6Text = (groups: readonly number[]): fc.Arbitrary<string> =>
  fc.record({ upper: fc.boolean(), padded: fc.boolean() }).map(({ upper, padded }) => {
    const text = groups.map((group) => group.toString(16).padStart(padded ? 4 : 1, '0')).join(':');
    return upper ? text.toUpperCase() : text;
  });
