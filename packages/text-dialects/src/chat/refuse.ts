import { GatewayError } from '@gateway/domain';

/**
 * A value that is not of the kind the field takes. `what` goes on from the field's name: "must be
 * …".
 */
export const invalid = (param: string, what: string): GatewayError =>
  new GatewayError('invalid_parameter', `${param} ${what}`, { param });

/** A value that is right in itself, but that an upstream of the other dialect cannot be told. */
export const unsupported = (param: string, what: string): GatewayError =>
  new GatewayError('unsupported_parameter', `${param} ${what}`, { param });
