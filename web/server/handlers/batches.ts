import type { Bench } from '../../../operations/bench.js';
import { batchHead, batchMatrix, batchSpend } from '../../../operations/pages/batches.js';
import { batchIdOf } from '../../../operations/pages/resolve.js';
import type { Handler } from '../call.js';

interface Page {
  after?: string;
  limit: number;
}

export function batchHandlers(bench: Bench): Record<string, Handler> {
  const pages = async () => (await bench.database()).pages;
  return {
    batches: async ({ query }) => (await pages()).batchPage(query as unknown as Page),
    batch: ({ params }) => batchHead(bench, params['id'] ?? ''),
    batchMatrix: ({ params }) => batchMatrix(bench, params['id'] ?? ''),
    batchSpend: ({ params, query }) => batchSpend(bench, params['id'] ?? '', Number(query['buckets'])),
    batchEvents: async ({ params, query }) =>
      (await pages()).eventPage({
        ...(query as unknown as Page),
        batchId: await batchIdOf(bench, params['id'] ?? ''),
      }),
  };
}
