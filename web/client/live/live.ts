import type { InfiniteData } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { Answer, LiveMessage } from '../../api/index.js';
import { client } from '../data/queries.js';
import { foldSteps, hasGap, type Skeleton } from './fold.js';
import { type LiveState, openStream } from './stream.js';

const FOLD_MS = 200;
/** A hidden tab unsubscribes. */
const HIDDEN_MS = 30_000;
const POLL_MS = 5_000;
/** Minimum interval of recounts of a batch. */
const COUNT_MS = 3_000;

const watched = new Map<string, number>();
const listeners = new Set<() => void>();
let state: LiveState = { state: 'off' };
let close: (() => void) | null = null;
let opened = '';
let pending: LiveMessage[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let foldedAt = -FOLD_MS;
const outputs = new Map<string, Extract<LiveMessage, { event: 'output' }>['data']>();
let polling: ReturnType<typeof setInterval> | undefined;
let servicesLost: string | null = null;

function tell(): void {
  for (const one of listeners) one();
}

function reopen(): void {
  const topics = document.hidden && hiddenLong ? [] : [...watched.keys()].sort();
  if (topics.join() === opened) return;
  opened = topics.join();
  close?.();
  clearInterval(polling);
  close = null;
  if (topics.length === 0) {
    state = { state: 'off' };
    tell();
    return;
  }
  close = openStream(
    topics,
    (message) => {
      pending.push(message);
      // After a silence, show changes at once.
      timer ??= setTimeout(fold, Math.max(0, foldedAt + FOLD_MS - performance.now()));
    },
    (now) => {
      state = now;
      clearInterval(polling);
      // No stream: poll what is watched.
      if (now.state === 'off') polling = setInterval(() => refresh(topics.flatMap(of)), POLL_MS);
      tell();
    },
  );
}

let hiddenLong = false;
let hiding: ReturnType<typeof setTimeout> | undefined;
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden)
    hiding = setTimeout(() => {
      hiddenLong = true;
      reopen();
    }, HIDDEN_MS);
  else {
    hiddenLong = false;
    reopen();
  }
});

const of = (topic: string): string[][] => {
  const [kind, id] = topic.split(':');
  if (kind === 'run')
    return [
      ['run', id!],
      ['skeleton', id!],
      ['evaluations', id!],
      ['runEvents', id!],
      ['waiting', id!],
      ['tree', id!],
      ['calls', id!],
    ];
  if (kind === 'batch')
    return [['batch', id!], ['batchMatrix', id!], ['batchSpend', id!], ['batchEvents', id!], ['runPages']];
  return [['batches'], ['hosts'], ['leases'], ['limits'], ['events']];
};

/** Refetches the active documents of these names. */
function refresh(keys: readonly string[][]): void {
  for (const [name, id] of keys)
    void client.invalidateQueries({
      predicate: ({ queryKey }) =>
        queryKey[0] === name &&
        (id === undefined || (queryKey[1] as { id?: string } | undefined)?.id === id || queryKey[1] === id),
    });
}

const counted = new Map<string, number>();
function countSoon(topic: string): void {
  const now = performance.now();
  const due = (counted.get(topic) ?? -COUNT_MS) + COUNT_MS;
  // Already scheduled.
  if (due > now + COUNT_MS) return;
  counted.set(topic, Math.max(due, now));
  setTimeout(() => refresh(of(topic).slice(0, 3)), Math.max(0, due - now));
}

function fold(): void {
  timer = undefined;
  foldedAt = performance.now();
  const messages = pending;
  pending = [];
  const again = new Map<string, string[]>();
  const ask = (keys: readonly string[][]): void => {
    for (const key of keys) again.set(key.join(), key);
  };
  for (const message of messages) {
    const { event, data } = message;
    if (event === 'hello' && data.gap) for (const topic of watched.keys()) ask(of(topic));
    else if (event === 'gap') ask(of(data.topic));
    else if (event === 'services') servicesLost = data.lostSince;
    else if (event === 'runs') {
      const rows = new Map(data.runs.map((run) => [run.runId, run]));
      client.setQueriesData<InfiniteData<Answer<'runs'>>>({ queryKey: ['runPages'] }, (known) =>
        known === undefined || !known.pages.some(({ runs }) => runs.some(({ runId }) => rows.has(runId)))
          ? known
          : {
              ...known,
              pages: known.pages.map((page) => ({ ...page, runs: page.runs.map((run) => rows.get(run.runId) ?? run) })),
            },
      );
      for (const run of data.runs) ask([['run', run.runId]]);
      if (data.topic.startsWith('batch:')) countSoon(data.topic);
    } else if (event === 'batches') {
      ask([['batches']]);
      // Watching a batch shows its counts, too.
      if (data.topic.startsWith('batch:')) countSoon(data.topic);
      else for (const { batchId } of data.batches) ask([['batch', batchId]]);
    } else if (event === 'steps') {
      const key = ['skeleton', data.runId];
      client.setQueryData<Skeleton>(key, (known) => (known === undefined ? known : foldSteps(known, data)));
      const known = client.getQueryData<Skeleton>(key);
      if (known !== undefined && hasGap(known)) ask([key]);
      const first = Math.min(...data.columns.step);
      const last = Math.max(...data.columns.step);
      void client.invalidateQueries({
        predicate: ({ queryKey: [name, id, from] }) =>
          name === 'steps' && id === data.runId && typeof from === 'number' && from <= last && from + 19 >= first,
      });
      ask([['run', data.runId]]);
    } else if (event === 'output') outputs.set(data.runId, data);
    else if (event === 'evaluations')
      ask([
        ['evaluations', data.runId],
        ['run', data.runId],
        ['files', data.runId],
        ['skeleton', data.runId],
      ]);
    else if (event === 'events') ask([['events'], ['runEvents'], ['batchEvents'], ['skeleton']]);
    else if (event === 'hosts') ask([['hosts']]);
    else if (event === 'leases') ask([['leases']]);
    else if (event === 'limits') ask([['limits']]);
  }
  refresh([...again.values()]);
  tell();
}

export function useLive(topic: string | null): void {
  useEffect(() => {
    if (topic === null) return undefined;
    watched.set(topic, (watched.get(topic) ?? 0) + 1);
    // A page that leaves and one that comes change the topics once.
    queueMicrotask(reopen);
    return () => {
      const left = (watched.get(topic) ?? 1) - 1;
      if (left === 0) watched.delete(topic);
      else watched.set(topic, left);
      queueMicrotask(reopen);
    };
  }, [topic]);
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useLiveState = (): LiveState => useSyncExternalStore(subscribe, () => state);
export const useServicesLost = (): string | null => useSyncExternalStore(subscribe, () => servicesLost);
export const useOutput = (runId: string) => useSyncExternalStore(subscribe, () => outputs.get(runId));
