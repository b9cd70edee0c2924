import { QueryClient } from '@tanstack/react-query';

/** What has been read of the gateway. The client repeats calls itself, so nothing here does. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 15_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
