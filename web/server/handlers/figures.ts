import type { Bench } from '../../../operations/bench.js';
import { listEpisodes } from '../../../operations/episodes/list-episodes.js';
import { showEpisode } from '../../../operations/episodes/show-episode.js';
import { groupMetrics, policyMetrics } from '../../../operations/episodes/training-metrics.js';
import { batchIdOf } from '../../../operations/pages/resolve.js';
import type { Handler } from '../call.js';

/** Episodes, integrity, and what was played. */
export function figureHandlers(bench: Bench): Record<string, Handler> {
  const pages = async () => (await bench.database()).pages;
  const subject =
    (kind: 'task' | 'model' | 'agent'): Handler =>
    async ({ params }) =>
      (await pages()).playedSubject(kind, params['name'] ?? '');
  const list =
    (kind: 'task' | 'model' | 'agent'): Handler =>
    async () =>
      (await pages()).playedList(kind);
  return {
    episodes: ({ query }) => listEpisodes(bench, query),
    episode: ({ params }) => showEpisode(bench, params['id'] ?? ''),
    policies: async ({ params }) => ({
      policies: await policyMetrics(bench, await batchIdOf(bench, params['id'] ?? '')),
    }),
    groups: async ({ params }) => ({ groups: await groupMetrics(bench, await batchIdOf(bench, params['id'] ?? '')) }),
    integrity: async () => (await pages()).integritySummary(),
    integrityFlags: async ({ query }) => {
      const read = await pages();
      return read.integrityFlags(query as unknown as Parameters<typeof read.integrityFlags>[0]);
    },
    ...{ tasks: list('task'), models: list('model'), agents: list('agent') },
    ...{ task: subject('task'), model: subject('model'), agent: subject('agent') },
  };
}
