import type { BatchPages } from '../../../domain/ports/reading/batch-pages.js';
import type { EventPages } from '../../../domain/ports/reading/event-pages.js';
import { batchHead, batchMatrix, batchSpend } from '../../../operations/pages/batches.js';
import { batchIdOf, type FindBatchPorts } from '../../../operations/pages/resolve.js';
import type { batchRoutes } from '../../api/batches.js';
import type { Handlers } from '../call.js';

export type BatchHandlerPorts = FindBatchPorts & { pages: BatchPages & Pick<EventPages, 'eventPage'> };

export function batchHandlers(ports: BatchHandlerPorts): Handlers<typeof batchRoutes> {
  const { pages } = ports;
  return {
    batches: ({ query }) => pages.batchPage(query),
    batch: ({ params }) => batchHead(ports, params.id),
    batchMatrix: ({ params }) => batchMatrix(ports, params.id),
    batchSpend: ({ params, query }) => batchSpend(ports, params.id, query.buckets),
    batchEvents: async ({ params, query }) => pages.eventPage({ ...query, batchId: await batchIdOf(ports, params.id) }),
  };
}
