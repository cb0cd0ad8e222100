import type { IntegrityPages } from '../../../domain/ports/reading/integrity-pages.js';
import type { SubjectKind, SubjectPages } from '../../../domain/ports/reading/subject-pages.js';
import type { Played, PlayedList } from '../../../domain/views/subjects.js';
import { listEpisodes } from '../../../operations/episodes/list-episodes.js';
import { showEpisode } from '../../../operations/episodes/show-episode.js';
import { groupMetrics, policyMetrics } from '../../../operations/episodes/training-metrics.js';
import { batchIdOf, type FindBatchPorts } from '../../../operations/pages/resolve.js';
import type { episodeRoutes } from '../../api/episodes.js';
import type { integrityRoutes } from '../../api/integrity.js';
import type { subjectRoutes } from '../../api/subjects.js';
import type { Handlers } from '../call.js';
import type { PortsOf } from '../../../operations/ports-of.js';

type FigurePorts = FindBatchPorts & { pages: IntegrityPages & SubjectPages } & PortsOf<
    typeof listEpisodes | typeof showEpisode | typeof policyMetrics | typeof groupMetrics
  >;
type FigureRoutes = typeof episodeRoutes & typeof integrityRoutes & typeof subjectRoutes;

export function figureHandlers(ports: FigurePorts): Handlers<FigureRoutes> {
  const { pages } = ports;
  const list = (kind: SubjectKind) => (): Promise<PlayedList> => pages.playedList(kind);
  const subject =
    (kind: SubjectKind) =>
    ({ params }: { params: { name: string } }): Promise<Played> =>
      pages.playedSubject(kind, params.name);
  return {
    episodes: ({ query }) => listEpisodes(ports, query),
    episode: ({ params }) => showEpisode(ports, params.id),
    policies: async ({ params }) => ({ policies: await policyMetrics(ports, await batchIdOf(ports, params.id)) }),
    groups: async ({ params }) => ({ groups: await groupMetrics(ports, await batchIdOf(ports, params.id)) }),
    integrity: () => pages.integritySummary(),
    integrityFlags: ({ query }) => pages.integrityFlags(query),
    ...{ tasks: list('task'), models: list('model'), agents: list('agent') },
    ...{ task: subject('task'), model: subject('model'), agent: subject('agent') },
    trend: ({ query }) => pages.trend(query),
  };
}
