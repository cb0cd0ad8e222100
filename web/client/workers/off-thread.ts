import type { Answered, JobName, Jobs } from './jobs.js';

/** Built address of worker.ts. */
declare const WORKER: string;

interface Waiting {
  resolve: (found: unknown) => void;
  reject: (error: Error) => void;
}
let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, Waiting>();

function begun(): Worker {
  if (worker !== null) return worker;
  worker = new Worker(WORKER);
  worker.onmessage = ({ data }: MessageEvent<Answered>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('failed' in data) asked?.reject(new Error(data.failed));
    else asked?.resolve(data.found);
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error('the comparison failed'));
    waiting.clear();
    worker?.terminate();
    worker = null;
  };
  return worker;
}

/** Loads the worker while its first job's input is loading. */
export const warmThread = (): void => void begun();

/** Jobs run one after another. */
export function offThread<Name extends JobName>(
  name: Name,
  ...given: Parameters<Jobs[Name]>
): Promise<ReturnType<Jobs[Name]>> {
  return new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve: resolve as (found: unknown) => void, reject });
    begun().postMessage({ id, name, given });
  });
}
