import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Params, Query } from '../../api/index.js';
import { ask, AskError, askBytes, askText, type AskedRoute } from './ask.js';
import { windowOf } from './first-views.js';

/** Failures may pass; refusals do not. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof AskError) || error.status === 0 || error.status >= 500 || error.status === 429;
const ASK_AGAIN_MS = 5_000;

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 120_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 3 && mayPass(error),
      retryDelay: (failures) => Math.min(10_000, 500 * 2 ** failures),
      // A page opened during an outage recovers without a reload.
      refetchInterval: ({ state: { data, error } }) =>
        data === undefined && error !== null && mayPass(error) ? ASK_AGAIN_MS : false,
    },
  },
});

export const document = <Name extends AskedRoute>(name: Name, params: Params<Name>, query: Query<Name>) =>
  queryOptions({
    queryKey: [name, params, query] as const,
    queryFn: ({ signal }) => ask(name, params, query, signal),
  });

/** Each page says where the next begins. */
export const pagesOf = <Name extends 'batches' | 'calls' | 'integrityFlags'>(
  name: Name,
  params: Params<Name>,
  query: Query<Name>,
) =>
  infiniteQueryOptions({
    queryKey: [name, params, 'pages', query] as const,
    queryFn: ({ signal, pageParam }) =>
      ask(
        name,
        params,
        { ...(query as object), ...(pageParam !== null && { after: pageParam }) } as Query<Name>,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { next: string | null }).next,
  });

export const runPages = (query: Query<'runs'>) =>
  infiniteQueryOptions({
    queryKey: ['runPages', query] as const,
    queryFn: ({ signal, pageParam }) =>
      ask('runs', {}, { ...query, limit: 200, ...(pageParam === null ? {} : { after: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** Texts of ended steps never change. */
export const stepWindow = (id: string, step: number) => {
  const window = windowOf(step);
  return queryOptions({
    queryKey: ['steps', id, window.from] as const,
    queryFn: ({ signal }) => ask('steps', { id }, window, signal),
    staleTime: 60_000,
    gcTime: 20_000,
  });
};

const CHUNK = 64 * 1024;

/** By chunks: a text may have 50 MB. */
export const wholeText = (id: string, step: number, text: string) =>
  infiniteQueryOptions({
    queryKey: ['stepText', id, step, text] as const,
    queryFn: ({ signal, pageParam }) =>
      askText(`/runs/${encodeURIComponent(id)}/steps/${step}/${text}`, pageParam, CHUNK, signal),
    initialPageParam: 0,
    getNextPageParam: ({ total }, _all, from) => (from + CHUNK < total ? from + CHUNK : null),
    staleTime: Infinity,
    gcTime: 5_000,
  });

export const imageBytes = (id: string, image: string) =>
  queryOptions({
    queryKey: ['image', id, image] as const,
    queryFn: ({ signal }) => askBytes(`/runs/${encodeURIComponent(id)}/images/${encodeURIComponent(image)}`, signal),
    staleTime: Infinity,
    gcTime: 30_000,
  });

export const fileBytes = (sha256: string) =>
  queryOptions({
    queryKey: ['file', sha256] as const,
    queryFn: ({ signal }) => askBytes(`/files/${encodeURIComponent(sha256)}`, signal),
    staleTime: Infinity,
    gcTime: 30_000,
  });
