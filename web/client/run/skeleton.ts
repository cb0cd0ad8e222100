import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask } from '../data/ask.js';
import { FIRST_SKELETON, SKELETON_PAGE } from '../data/first-views.js';
import { client } from '../data/queries.js';
import type { Skeleton } from '../live/fold.js';

const AT_ONCE = 3;

const onlyTo = (page: Skeleton, last: number): Skeleton => {
  if ((page.columns.step.at(-1) ?? 0) <= last) return page;
  const kept = page.columns.step.findLastIndex((step) => step <= last) + 1;
  return {
    ...page,
    columns: mapped(page.columns, (column) => column.slice(0, kept)),
    evaluations: page.evaluations.filter(({ step }) => step <= last),
    events: page.events.filter(({ step }) => step <= last),
  };
};

function mapped(
  columns: Skeleton['columns'],
  to: (column: readonly unknown[], name: keyof Skeleton['columns']) => unknown[],
): Skeleton['columns'] {
  const names = Object.keys(columns) as (keyof Skeleton['columns'])[];
  return Object.fromEntries(names.map((name) => [name, to(columns[name], name)])) as unknown as Skeleton['columns'];
}

function joined(pages: readonly Skeleton[]): Skeleton {
  const last = pages.at(-1)!;
  return pages.length === 1
    ? last
    : {
        ...last,
        columns: mapped(last.columns, (_, name) => pages.flatMap(({ columns }): unknown[] => columns[name])),
        evaluations: pages.flatMap(({ evaluations }) => evaluations),
        events: pages.flatMap(({ events }) => events),
      };
}

/** All steps without their texts. Renders the first page, and at each doubling. */
export const skeletonOf = (id: string) =>
  queryOptions({
    queryKey: ['skeleton', id] as const,
    queryFn: async ({ signal }): Promise<Skeleton> => {
      const after = (step: number): Promise<Skeleton> =>
        ask('skeleton', { id }, { ...(step > 0 && { after: step }), ...FIRST_SKELETON }, signal);
      const pages = [await after(0)];
      const coming: { page: Promise<Skeleton>; from: number }[] = [];
      let { next: from, total } = pages[0]!;
      const askMore = (): void => {
        // Steps have no gaps, so pages can be requested ahead.
        while (from !== null && from < total && coming.length < AT_ONCE) {
          const page = after(from);
          // Its failure is thrown when its page is awaited.
          page.catch(() => undefined);
          coming.push({ page, from });
          from += SKELETON_PAGE;
        }
      };
      for (askMore(); coming.length > 0; askMore()) {
        const known = client.getQueryData<Skeleton>(['skeleton', id])?.columns.step.length ?? 0;
        if (Number.isInteger(Math.log2(pages.length)) && pages.length * SKELETON_PAGE > known)
          client.setQueryData(['skeleton', id], joined(pages));
        const asked = coming.shift()!;
        const page = await asked.page;
        pages.push(onlyTo(page, asked.from + SKELETON_PAGE));
        // The run has continued meanwhile.
        total = page.total;
      }
      return joined(pages);
    },
    staleTime: 30_000,
    // Comparing a hundred thousand steps takes longer than drawing them.
    structuralSharing: false,
  });
export const useSkeleton = (id: string) => useQuery(skeletonOf(id));

export const BADGES = { copied: 1, lost: 2, timedOut: 4, running: 8, unreadable: 16 } as const;

export const isError = ({ exitCode, badges }: Skeleton['columns'], place: number): boolean =>
  (exitCode[place] ?? 0) !== 0 || (badges[place]! & (BADGES.timedOut | BADGES.lost | BADGES.unreadable)) !== 0;

export const isValidate = ({ requested, score }: Skeleton['columns'], place: number): boolean =>
  requested[place] != null || score[place] !== null;

/** Colours of the rail by action, the same for all runs. The second colour is for errors. */
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
