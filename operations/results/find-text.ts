import type { z } from 'zod';
import { checkedRequest } from '../../domain/requests/checked.js';
import { searchRequestSchema } from '../../domain/requests/search.js';
import type { SearchDocument, SearchHit } from '../../domain/views/search.js';
import { type SearchPorts, searchSteps } from '../pages/search.js';

/**
 * Finds a text in what runs did and saw, the newest run first; calls `found` with hits as they
 * come. An aborted search returns its hits so far. BenchError (usage): invalid request or pattern.
 */
export async function findText(
  ports: SearchPorts,
  input: z.input<typeof searchRequestSchema>,
  signal: AbortSignal,
  found: (hits: readonly SearchHit[]) => void = () => undefined,
): Promise<SearchDocument> {
  const request = checkedRequest(searchRequestSchema, input);
  const hits: SearchHit[] = [];
  let document: SearchDocument = { ...NOTHING, hits };
  try {
    for await (const message of searchSteps(ports, request, signal)) {
      if (message.event === 'hits') {
        hits.push(...message.data.hits);
        found(message.data.hits);
      } else if (message.event === 'done') document = { ...message.data, hits };
      else if (message.event === 'progress') document = { ...message.data, hits, more: true };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    document = { ...document, more: true };
  }
  return document;
}
const NOTHING = { runs: 0, totalRuns: 0, steps: 0, totalSteps: 0, bytes: 0, skipped: 0, more: false };
