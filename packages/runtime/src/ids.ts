import { idPrefixes, type IdKind } from '@gateway/domain';
import { typeid } from 'typeid-js';

/** A new id of this kind: TypeID, ordered by time. */
export const newId = (kind: IdKind): string => typeid(idPrefixes[kind]).toString();
