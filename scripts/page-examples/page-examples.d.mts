export interface Reference {
  /** The OpenAPI document. */
  readonly document: { readonly paths: object };
  /** How the reference writes requests, by language. */
  readonly languages: Readonly<Record<string, (baseUrl: string, ...requests: never[]) => string>>;
}

/** The files of README.md and of the pages in docs/ that people write. */
export function pagesWithExamples(): string[];
/** A page with the programs that do the same as its curl commands, folded up below each of them. */
export function withExamples(page: string, reference: Reference): string;
