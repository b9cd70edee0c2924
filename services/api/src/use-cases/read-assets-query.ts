import { GatewayError, isId } from '@gateway/domain';

/** What a customer asks for, as text; all of it may be left out. */
export interface AssetsQuery {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

export interface AssetCursors {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

const defaultLimit = 20;
const mostOnOnePage = 100;

/** Limit and cursors of a page of assets. Throws invalid_parameter. */
export function readAssetsQuery({ limit = String(defaultLimit), after, before }: AssetsQuery): AssetCursors {
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > mostOnOnePage) {
    throw new GatewayError('invalid_parameter', `limit must be an integer between 1 and ${mostOnOnePage}; got ${JSON.stringify(limit.slice(0, 80))}`, { param: 'limit' });
  }
  return { limit: Number(limit), after: checkedCursor('after', after), before: checkedCursor('before', before) };
}

function checkedCursor(param: string, id: string | undefined): string | undefined {
  if (id === undefined || isId('asset', id)) return id;
  throw new GatewayError('invalid_parameter', `${param} must be the id of an asset; got ${JSON.stringify(id.slice(0, 80))}`, { param });
}
