/** The types of a document's schemas and operations, as TypeScript of this repository's form. */
export function clientTypes(document: object): Promise<string>;
