/** What an asynchronous list holds, up to a number of items. */
export async function collect<Item>(
  items: AsyncIterable<Item>,
  most: number = Infinity,
): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) {
    collected.push(item);
    if (collected.length >= most) break;
  }
  return collected;
}
