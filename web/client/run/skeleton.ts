import { useQuery } from '@tanstack/react-query';
import { ask } from '../data/ask.js';
import { client } from '../data/queries.js';
import type { Skeleton } from '../live/fold.js';

/** All steps of a run without their texts, page after page; shown from the first page on. */
export function useSkeleton(id: string) {
  return useQuery({
    queryKey: ['skeleton', id] as const,
    queryFn: async ({ signal }): Promise<Skeleton> => {
      let whole = await ask('skeleton', { id }, { limit: 10_000 }, signal);
      while (whole.next !== null) {
        if (client.getQueryData<Skeleton>(['skeleton', id]) === undefined || whole.columns.step.length > 10_000)
          client.setQueryData(['skeleton', id], whole);
        const more = await ask('skeleton', { id }, { after: whole.next, limit: 10_000 }, signal);
        const names = Object.keys(whole.columns) as (keyof Skeleton['columns'])[];
        const columns = Object.fromEntries(
          names.map((name) => [name, [...whole.columns[name], ...more.columns[name]]]),
        );
        whole = {
          ...more,
          columns: columns as unknown as Skeleton['columns'],
          evaluations: [...whole.evaluations, ...more.evaluations],
          events: [...whole.events, ...more.events],
        };
      }
      return whole;
    },
    staleTime: 30_000,
    // A hundred thousand steps are another list at once; comparing them one by one takes longer than drawing.
    structuralSharing: false,
  });
}

export const FLAGS = { copied: 1, lost: 2, timedOut: 4, running: 8, unreadable: 16 } as const;

/** Is something wrong with the step at a place? */
export const isError = ({ exitCode, flags }: Skeleton['columns'], place: number): boolean =>
  (exitCode[place] ?? 0) !== 0 || (flags[place]! & (FLAGS.timedOut | FLAGS.lost | FLAGS.unreadable)) !== 0;

export const isValidate = ({ requested, score }: Skeleton['columns'], place: number): boolean =>
  requested[place] != null || score[place] !== null;

/** What a step's action is, as a colour of the rail; the same for all runs. The second colour is that of errors. */
const CATEGORIES: readonly (readonly [begins: string, series: number])[] = [
  ['edit', 0],
  ['python', 2],
  ['validate', 3],
  ['submit', 4],
  ['bash', 5],
  ['search', 6],
];
export const seriesOf = (category: string): number =>
  CATEGORIES.find(([begins]) => category.toLowerCase().startsWith(begins))?.[1] ?? 7;
