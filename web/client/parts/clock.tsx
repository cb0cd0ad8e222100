import { useSyncExternalStore } from 'react';
import { ago, time } from './format.js';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (document.hidden) return;
    now = Date.now();
    for (const one of listeners) one();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Ticks once a second, for all users together. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** Relative; the exact moment in UTC on hover and focus. */
export function Time({ at }: { at: string | null }) {
  const moment = useNow();
  if (at === null) return <span className="none">–</span>;
  return (
    <time dateTime={at} title={`${time(at)} (${at})`}>
      {ago(at, Math.max(moment, Date.parse(at)))}
    </time>
  );
}
