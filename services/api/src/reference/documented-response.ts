import { errorCatalogue, type ErrorCode } from '@gateway/domain';
import type { Schema } from '@gateway/contracts';
import type { OpenApiDocument } from './document.ts';

/** A response of an operation: itself, or a reference to one that several share. */
export interface DocumentedResponse {
  readonly $ref?: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** The response itself, with the words of the reference to it. */
export function resolved(
  { components }: OpenApiDocument,
  response: DocumentedResponse,
): DocumentedResponse {
  if (response.$ref === undefined) return response;
  const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1);
  return {
    ...(components.responses[name] as unknown as DocumentedResponse),
    description: response.description,
  };
}

const isCode = (name: string): name is ErrorCode => Object.hasOwn(errorCatalogue, name);

/** The codes that a failure names; none for other responses. */
export const codesIn = ({ $ref, description }: DocumentedResponse): readonly ErrorCode[] =>
  $ref === undefined
    ? []
    : [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code).filter(isCode);
