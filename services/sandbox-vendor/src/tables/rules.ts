/** What a vendor's rules say of a creation: whether it breaks each, and in which words it is refused. */
export type Rules<Words = string> = readonly (readonly [broken: boolean, words: Words])[];

export const firstBroken = <Words>(rules: Rules<Words>): Words | undefined =>
  rules.find(([isBroken]) => isBroken)?.[1];
