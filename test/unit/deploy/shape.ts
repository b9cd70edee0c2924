/** Says what is wrong with a value, each problem with its path; nothing when it fits. */
export type Shape = (value: unknown, path: string) => string[];

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const when = (fits: boolean, path: string, expected: string): string[] =>
  fits ? [] : [`${path} must be ${expected}`];

export const text: Shape = (value, path) =>
  when(typeof value === 'string' && value !== '', path, 'a text');
/** Text that may be empty: values, not names. */
export const anyText: Shape = (value, path) => when(typeof value === 'string', path, 'a text');
export const flag: Shape = (value, path) => when(typeof value === 'boolean', path, 'true or false');
export const count: Shape = (value, path) =>
  when(Number.isInteger(value) && Number(value) >= 0, path, 'a whole number from 0 on');
export const port: Shape = (value, path) =>
  when(Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536, path, 'a port');
export const matching =
  (pattern: RegExp): Shape =>
  (value, path) =>
    when(typeof value === 'string' && pattern.test(value), path, `like ${pattern.source}`);
export const oneOf =
  (...allowed: readonly unknown[]): Shape =>
  (value, path) =>
    when(allowed.includes(value), path, `one of ${allowed.join(', ')}`);

export const either =
  (...shapes: readonly Shape[]): Shape =>
  (value, path) => {
    const responses = shapes.map((shape) => shape(value, path));
    return responses.some((problems) => problems.length === 0) ? [] : responses.flat();
  };

export const list =
  (of: Shape): Shape =>
  (value, path) =>
    Array.isArray(value) && value.length > 0
      ? value.flatMap((item, index) => of(item, `${path}[${index}]`))
      : [`${path} must be a list with something in it`];

/** A map with names of the writer's choice. */
export const dictionary =
  (of: Shape): Shape =>
  (value, path) =>
    isMap(value)
      ? Object.entries(value).flatMap(([key, item]) => of(item, `${path}.${key}`))
      : [`${path} must be a map`];

/** A map with these fields and no other; a name that ends in `!` must be there. */
export function record(fields: Readonly<Record<string, Shape>>): Shape {
  const known = new Map(
    Object.entries(fields).map(([name, shape]) => [name.replace('!', ''), shape]),
  );
  const required = Object.keys(fields)
    .filter((name) => name.endsWith('!'))
    .map((name) => name.slice(0, -1));
  return (value, path) => {
    if (!isMap(value)) return [`${path} must be a map`];
    return [
      ...required.filter((name) => !(name in value)).map((name) => `${path}.${name} is missing`),
      ...Object.entries(value).flatMap(
        ([name, item]) =>
          known.get(name)?.(item, `${path}.${name}`) ?? [`${path}.${name} is not a field`],
      ),
    ];
  };
}
