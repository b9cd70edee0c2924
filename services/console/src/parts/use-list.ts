import {
  hashKey,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, type RefObject } from 'react';
import { listOptions, readMore, type ListQuery } from '../gateway/list-query.ts';
import type { Rows } from '../gateway/pages.ts';
import { useEndMark } from './end-mark.ts';

export interface List<Item> {
  readonly items: readonly Item[];
  readonly query: UseQueryResult<Rows<Item>>;
  /** Reads the next page. */
  readonly more: UseMutationResult<void, Error, void>;
  /** Belongs behind the last item: near it more are read. */
  readonly end: RefObject<HTMLDivElement | null>;
}

/** A list of the gateway, read as far as it is in view. A page that fails is read again only when somebody asks. */
export function useList<Item extends { readonly id: string }>(list: ListQuery<Item>): List<Item> {
  const query = useQuery(listOptions(list));
  const more = useMutation({ mutationFn: () => readMore(list) });
  const { rows = [], next, isSparse = false } = query.data ?? {};
  const goesOn = next !== undefined && !isSparse && !more.isPending && !more.isError;
  const end = useEndMark(() => {
    if (goesOn) more.mutate();
  });
  const name = hashKey(list.queryKey);
  useEffect(() => {
    more.reset();
  }, [name]);
  return { items: rows, query, more, end };
}
