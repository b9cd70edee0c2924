import { RowLink } from '../../parts/row-link.tsx';

export const VideoLink = ({ id }: { id: string }) => (
  <RowLink className="mono id" href={`/operator/videos/${id}`}>
    {id}
  </RowLink>
);

/** Ids of one time begin alike, so where there is little space they are told apart by their end. */
const endOf = (id: string): string => `${id.slice(0, id.indexOf('_') + 1)}…${id.slice(-8)}`;

export const AccountLink = ({ id, isShort = false }: { id: string; isShort?: boolean }) => (
  <RowLink className="mono id" href={`/operator/accounts/${id}`} title={isShort ? id : undefined}>
    {isShort ? endOf(id) : id}
  </RowLink>
);
