import type { IntegrityPage, IntegritySummary } from '../../views/integrity.js';

export interface IntegrityPageRequest {
  rule?: readonly string[] | undefined;
  model?: readonly string[] | undefined;
  task?: readonly string[] | undefined;
  batch?: readonly string[] | undefined;
  after?: string | undefined;
  limit: number;
}

export interface IntegrityPages {
  integritySummary(): Promise<IntegritySummary>;
  integrityFlags(request: IntegrityPageRequest): Promise<IntegrityPage>;
}
