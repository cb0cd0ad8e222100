import type { Query } from '../../api/index.js';
import type { AskedRoute } from './ask.js';

export const WINDOW = 20;
const PREVIEW = 4096;

export function windowOf(step: number): { from: number; to: number; preview: number } {
  const from = Math.floor((step - 1) / WINDOW) * WINDOW + 1;
  return { from, to: from + WINDOW - 1, preview: PREVIEW };
}

export const SKELETON_PAGE = 10_000;
export const FIRST_SKELETON = { limit: SKELETON_PAGE } as const;

export const NOW = {
  batches: { status: ['queued', 'running'], limit: 50 },
  latest: { limit: 5 },
  events: { limit: 20 },
} satisfies Record<string, Query<'batches'> | Query<'events'>>;
export const firstViewOfNow: readonly (readonly [AskedRoute, object])[] = [
  ['batches', NOW.batches],
  ['batches', NOW.latest],
  ['activeRuns', {}],
  ['events', NOW.events],
];
