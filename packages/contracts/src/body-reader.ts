import { GatewayError } from '@gateway/domain';
import { compileLater } from './ajv.ts';
import { requestError, violationsOf } from './violation.ts';

/**
 * What reads a JSON body that has to fit `schema`, which is compiled with the first one. Throws one
 * failure that names every violation; `undefined` is a body that was not JSON.
 */
export function createBodyReader(schema: object): (body: unknown) => unknown {
  const validator = compileLater(schema);
  return (body) => {
    if (body === undefined) {
      throw new GatewayError('invalid_json', 'the body must be a JSON object');
    }
    const [first, ...rest] = violationsOf(validator(), body);
    if (first !== undefined) throw requestError([first, ...rest]);
    return body;
  };
}
