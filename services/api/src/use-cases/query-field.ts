import { GatewayError, isId, taskStatuses, type IdKind, type TaskStatus } from '@gateway/domain';

/** How the text of a query parameter is read. */
export interface QueryField<Value> {
  /** Undefined for a text that it must not be. */
  readonly read: (text: string) => Value | undefined;
  /** What it must be, in words. */
  readonly mustBe: string;
}

export const shortened = (text: string): string => text.slice(0, 80);

/** Why the text of a parameter was refused. */
export const fieldProblem = (name: string, text: string, { mustBe }: QueryField<unknown>): string =>
  `${name} must be ${mustBe}; got ${JSON.stringify(shortened(text))}`;

/** The value of a parameter; undefined when it is left out. Throws invalid_parameter. */
export function readField<Value>(
  name: string,
  text: string | undefined,
  field: QueryField<Value>,
): Value | undefined {
  if (text === undefined) return undefined;
  const value = field.read(text);
  if (value === undefined) {
    throw new GatewayError('invalid_parameter', fieldProblem(name, text, field), { param: name });
  }
  return value;
}

/** A parameter that is an id of this kind. */
export const idField = (kind: IdKind, mustBe: string): QueryField<string> => ({
  read: (text) => (isId(kind, text) ? text : undefined),
  mustBe,
});

export const endpointIds = idField('endpoint', 'the id of an endpoint');

export const statusField: QueryField<TaskStatus> = {
  read: (text) => taskStatuses.find((status) => status === text),
  mustBe: `one of ${taskStatuses.join(', ')}`,
};
