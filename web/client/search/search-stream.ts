import { useEffect, useState } from 'react';
import type { Query, SearchMessage, SearchMessages } from '../../api/index.js';
import { addressOf, PATHS, send } from '../data/ask.js';
import { takeMessages } from '../live/messages.js';

export type Hit = SearchMessages['hits']['hits'][number];
export interface Search {
  state: 'running' | 'done' | 'failed' | 'cancelled';
  hits: readonly Hit[];
  progress: SearchMessages['progress'] | null;
  more: boolean;
  error: unknown;
}
const BEGUN: Search = { state: 'running', hits: [], progress: null, more: false, error: null };
const SHOW_MS = 200;

async function read(
  query: Query<'search'>,
  signal: AbortSignal,
  tell: (message: SearchMessage) => void,
): Promise<void> {
  const response = await send(addressOf(PATHS.search, {}, query), { signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const taken = takeMessages(buffer + value);
    buffer = taken.rest;
    for (const { event, data } of taken.messages) tell({ event, data: JSON.parse(data) as unknown } as SearchMessage);
  }
}

/** Null: no search. A new search cancels the previous one, in the database too. */
export function useSearchStream(query: Query<'search'> | null): Search & { cancel: () => void } {
  const key = query === null ? null : JSON.stringify(query);
  const [found, setFound] = useState<{ key: string | null; search: Search; cancel: () => void }>({
    key: null,
    search: BEGUN,
    cancel: () => undefined,
  });
  useEffect(() => {
    if (key === null) return undefined;
    const own = new AbortController();
    let search = BEGUN;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const cancel = (): void => {
      own.abort();
      search = { ...search, state: 'cancelled' };
      show();
    };
    const show = (): void => {
      clearTimeout(timer);
      timer = undefined;
      setFound({ key, search, cancel });
    };
    const hits: Hit[] = [];
    const tell = ({ event, data }: SearchMessage): void => {
      if (event === 'hits') hits.push(...data.hits);
      else if (event === 'failed') search = { ...search, state: 'failed', error: new Error(data.message) };
      else if (event === 'progress') search = { ...search, progress: data };
      else search = { ...search, state: 'done', progress: data, more: data.more };
      search = { ...search, hits: hits.slice() };
      timer ??= setTimeout(show, SHOW_MS);
    };
    show();
    read(JSON.parse(key) as Query<'search'>, own.signal, tell).catch((error: unknown) => {
      if (own.signal.aborted) return;
      search = { ...search, state: 'failed', error };
      show();
    });
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [key]);
  return found.key === key ? { ...found.search, cancel: found.cancel } : { ...BEGUN, cancel: () => undefined };
}
