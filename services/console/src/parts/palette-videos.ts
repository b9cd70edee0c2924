import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { gateway } from '../gateway/client.ts';
import type { Found } from './palette.tsx';
import { optionsFor, searchFor } from './palette-options.ts';

const mostVideos = 8;
const searchedAfterMs = 250;

/** Pages, and one page of videos that match, once nobody has typed for a moment. */
export function useVideoOptions(words: string): Found {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(words);
    }, searchedAfterMs);
    return () => {
      clearTimeout(timer);
    };
  }, [words]);
  const filter = searchFor(settled);
  const { data, isFetching } = useQuery({
    queryKey: ['palette', filter],
    queryFn: async ({ signal }) => {
      const list = gateway.videos.list(
        { ...filter, include: 'request' },
        { signal, perPage: mostVideos },
      );
      return (await list.page()).data;
    },
    enabled: filter !== undefined,
    placeholderData: keepPreviousData,
  });
  const isOpen = searchFor(words) !== undefined;
  return {
    options: optionsFor(words, isOpen ? (data ?? []) : []),
    isSearching: isFetching || settled !== words,
  };
}
