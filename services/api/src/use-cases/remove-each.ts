/**
 * Removes one thing after the other. What cannot be removed keeps the others neither waiting nor
 * unnoticed: throws an AggregateError at the end.
 */
export async function removeEach<Thing>(
  things: readonly Thing[],
  remove: (thing: Thing) => Promise<void>,
  name: string,
): Promise<void> {
  const failures: unknown[] = [];
  for (const thing of things) {
    await remove(thing).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} ${name} could not be removed`);
  }
}
