type Json = Readonly<Record<string, unknown>>;

/**
 * Who reads a value: of what a client sends, less may not be accepted than before; of what it gets,
 * nothing may be missing and nothing may come that it does not expect.
 */
type Direction = 'sent' | 'got';

interface Side {
  readonly document: Json;
  readonly schema: unknown;
}

/** Changes from one document to the next that break a client made from the first, in words. */
export function breakingChanges(before: Json, after: Json): string[] {
  const found: string[] = [];
  for (const kind of ['paths', 'webhooks']) {
    for (const [path, methods] of entriesOf(before[kind])) {
      for (const [method, operation] of entriesOf(methods)) {
        const now = at(after, [kind, path, method]);
        const place = `${method.toUpperCase()} ${path}`;
        if (now === undefined) found.push(`${place}: is gone`);
        else {
          found.push(
            ...operationChanges(
              { document: before, schema: operation },
              { document: after, schema: now },
              kind === 'webhooks',
            ).map((change) => `${place}: ${change}`),
          );
        }
      }
    }
  }
  return [...new Set(found)];
}

function operationChanges(before: Side, after: Side, isWebhook: boolean): string[] {
  const [sent, got]: readonly Direction[] = isWebhook ? ['got', 'sent'] : ['sent', 'got'];
  return [
    ...parameterChanges(before, after, sent!),
    ...bodyChanges(child(before, 'requestBody'), child(after, 'requestBody'), sent!),
    ...responseChanges(child(before, 'responses'), child(after, 'responses'), got!),
  ];
}

function parameterChanges(before: Side, after: Side, direction: Direction): string[] {
  const nameOf = (parameter: Json): string =>
    `${String(parameter['in'])} ${String(parameter['name'])}`;
  const listOf = ({ schema }: Side): Map<string, Json> =>
    new Map(
      ((at(schema, ['parameters']) ?? []) as readonly Json[]).map((each) => [nameOf(each), each]),
    );
  const [were, are] = [listOf(before), listOf(after)];
  const added = [...are].filter(([name, { required }]) => !were.has(name) && required === true);
  return [
    ...(direction === 'sent' ? added.map(([name]) => `${name} is required now`) : []),
    ...[...were].flatMap(([name, was]) => {
      const is = are.get(name);
      if (is === undefined) return [`${name} is gone`];
      return [
        ...(direction === 'sent' && is['required'] === true && was['required'] !== true
          ? [`${name} is required now`]
          : []),
        ...schemaChanges(
          { document: before.document, schema: was['schema'] },
          { document: after.document, schema: is['schema'] },
          { direction, place: name, seen: new Set() },
        ),
      ];
    }),
  ];
}

function bodyChanges(before: Side, after: Side, direction: Direction): string[] {
  const isRequired = ({ schema }: Side): boolean => at(schema, ['required']) === true;
  return [
    ...(direction === 'sent' && isRequired(after) && !isRequired(before)
      ? ['the body is required now']
      : []),
    ...contentChanges(before, after, direction),
  ];
}

function responseChanges(before: Side, after: Side, direction: Direction): string[] {
  return entriesOf(before.schema).flatMap(([status]) => {
    const [was, is] = [child(before, status), child(after, status)];
    if (is.schema === undefined) return /^2/.test(status) ? [`status ${status} is gone`] : [];
    return contentChanges(was, is, direction).map((change) => `${status}: ${change}`);
  });
}

function contentChanges(before: Side, after: Side, direction: Direction): string[] {
  return entriesOf(at(before.schema, ['content'])).flatMap(([type]) => {
    const of = (side: Side): Side => child(child(child(side, 'content'), type), 'schema');
    if (of(after).schema === undefined) return [`${type} is gone`];
    return schemaChanges(of(before), of(after), { direction, place: type, seen: new Set() });
  });
}

interface Way {
  readonly direction: Direction;
  readonly place: string;
  readonly seen: Set<string>;
}

function schemaChanges(before: Side, after: Side, { direction, place, seen }: Way): string[] {
  const pair = JSON.stringify([before.schema, after.schema]);
  if (seen.has(pair)) return [];
  seen.add(pair);
  const [was, is] = [resolve(before), resolve(after)];
  const next = (name: string, step: string): string[] =>
    schemaChanges(child(was, name), child(is, name), { direction, place: `${place}${step}`, seen });
  return [
    ...valueChanges(was.schema as Json, is.schema as Json, direction).map(
      (change) => `${place} ${change}`,
    ),
    ...fieldChanges(was, is, { direction, place, seen }),
    ...branchChanges(was, is, { direction, place, seen }),
    ...(at(was.schema, ['items']) !== undefined ? next('items', '[]') : []),
    ...(isObject(at(was.schema, ['additionalProperties']))
      ? next('additionalProperties', '.*')
      : []),
  ];
}

/** What narrows a value when it is larger, and when it is smaller. */
const lower = ['minimum', 'minLength', 'minItems', 'minProperties'];
const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];

function valueChanges(was: Json = {}, is: Json = {}, direction: Direction): string[] {
  const [narrow, wide] = direction === 'sent' ? [is, was] : [was, is];
  const lost = ['type', 'enum'].flatMap((keyword) => {
    const allowed = listed(narrow, keyword);
    const asked = listed(wide, keyword);
    if (allowed === undefined) return [];
    if (asked === undefined) {
      return [`has a ${keyword} of its own ${direction === 'sent' ? 'now' : 'no more'}`];
    }
    const missing = asked.filter((value) => !allowed.includes(value));
    return missing.map((value) =>
      direction === 'sent'
        ? `may not be ${JSON.stringify(value)} any more`
        : `may be ${JSON.stringify(value)} now`,
    );
  });
  if (direction === 'got') return lost;
  const bounds = [
    ...lower.filter(
      (keyword) => Number(is[keyword] ?? -Infinity) > Number(was[keyword] ?? -Infinity),
    ),
    ...upper.filter(
      (keyword) => Number(is[keyword] ?? Infinity) < Number(was[keyword] ?? Infinity),
    ),
    ...(is['pattern'] !== was['pattern'] && is['pattern'] !== undefined ? ['pattern'] : []),
  ];
  return [...lost, ...bounds.map((keyword) => `has a narrower ${keyword}`)];
}

function listed(schema: Json, keyword: string): readonly unknown[] | undefined {
  if (keyword === 'enum' && schema['const'] !== undefined) return [schema['const']];
  const value = schema[keyword];
  return value === undefined
    ? undefined
    : [value].flat().flatMap((each) => (each === 'number' ? ['number', 'integer'] : [each]));
}

function fieldChanges(was: Side, is: Side, { direction, place, seen }: Way): string[] {
  const requiredIn = ({ schema }: Side): readonly unknown[] =>
    (at(schema, ['required']) ?? []) as readonly unknown[];
  const [must, mustNow] = [requiredIn(was), requiredIn(is)];
  const fields = entriesOf(at(was.schema, ['properties']));
  const changed =
    direction === 'sent'
      ? mustNow
          .filter((name) => !must.includes(name))
          .map((name) => `${place}.${String(name)} is required now`)
      : must
          .filter((name) => !mustNow.includes(name))
          .map((name) => `${place}.${String(name)} may be missing now`);
  return [
    ...changed,
    ...fields.flatMap(([name]) => {
      const [one, other] = [
        child(child(was, 'properties'), name),
        child(child(is, 'properties'), name),
      ];
      if (other.schema === undefined) return [`${place}.${name} is gone`];
      return schemaChanges(one, other, { direction, place: `${place}.${name}`, seen });
    }),
  ];
}

/** Branches are known by what they refer to, or by all they say; a list of words by its type, named or not. */
function branchChanges(was: Side, is: Side, { direction, place, seen }: Way): string[] {
  return ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => {
    const branches = ({ schema }: Side): readonly unknown[] =>
      (at(schema, [keyword]) ?? []) as readonly unknown[];
    const byKey = (side: Side): Map<string, unknown> =>
      new Map(branches(side).map((branch) => [keyOf({ ...side, schema: branch }), branch]));
    const [now, before] = [byKey(is), byKey(was)];
    const gone = [...before.keys()].filter((key) => !now.has(key));
    const added = [...now.keys()].filter((key) => !before.has(key));
    return [
      ...(direction === 'sent' ? gone : added).map(
        (key) => `${place} ${direction === 'sent' ? 'may not be' : 'may now be'} ${key}`,
      ),
      ...[...before].flatMap(([key, branch]) => {
        const match = now.get(key);
        return match === undefined
          ? []
          : schemaChanges(
              { document: was.document, schema: branch },
              { document: is.document, schema: match },
              { direction, place, seen },
            );
      }),
    ];
  });
}

function keyOf(branch: Side): string {
  const { schema } = branch;
  const target = resolve(branch).schema;
  const type = at(Array.isArray(at(target, ['enum'])) ? target : schema, ['type']);
  const isWord = type === 'string';
  return JSON.stringify(isWord ? type : (at(schema, ['$ref']) ?? type ?? schema));
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const entriesOf = (value: unknown): [string, unknown][] =>
  isObject(value) ? Object.entries(value) : [];

function at(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((part, step) => (isObject(part) ? part[step] : undefined), value);
}

function child(side: Side, name: string): Side {
  const { document, schema } = resolve(side);
  return resolve({ document, schema: at(schema, [name]) });
}

/** What a reference stands for. */
function resolve({ document, schema }: Side): Side {
  const target = at(schema, ['$ref']);
  return typeof target === 'string'
    ? resolve({ document, schema: at(document, target.split('/').slice(1)) })
    : { document, schema: wordOrNull({ document, schema }) };
}

/** One of some words or null, which can be written as two branches too, as one list of values. */
function wordOrNull({ document, schema }: Side): unknown {
  const [branch, other, ...more] = (at(schema, ['anyOf']) ?? []) as readonly unknown[];
  if (at(other, ['type']) !== 'null' || more.length > 0) return schema;
  const { schema: word } = resolve({ document, schema: branch });
  const values = at(word, ['enum']);
  return Array.isArray(values) && at(word, ['type']) === 'string'
    ? { type: ['string', 'null'], enum: [...(values as readonly unknown[]), null] }
    : schema;
}
