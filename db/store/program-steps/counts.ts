import type { Json } from '../../../domain/gateway/json.js';
import type { SplitRequest } from '../../../domain/gateway/request-parts.js';
import type { ProgramCall } from '../../../domain/ports/record/program-log.js';
import { type Statements, storable } from '../../statements.js';
import { keepParts, storableJson } from './request-parts.js';

export async function knownCount(
  run: Statements,
  runId: string,
  epoch: number,
  { fingerprint, likeness }: Omit<ProgramCall, 'wire'>,
): Promise<Json | null> {
  const [row] = await run<{ answer: Json }>(
    'knownCount',
    `select answer from program_counts
         where run_id = $1 and (fingerprint = $3 or likeness = $4 and epoch < $2)
         order by fingerprint = $3 desc, created_at limit 1`,
    [runId, epoch, fingerprint, likeness],
  );
  return row?.answer ?? null;
}

export async function keepCount(
  run: Statements,
  runId: string,
  epoch: number,
  {
    agent,
    fingerprint,
    likeness,
    request,
    answer,
  }: Omit<ProgramCall, 'wire'> & { request: SplitRequest; answer: Json },
): Promise<void> {
  await keepParts(run, runId, request);
  await run(
    'keepCount',
    `insert into program_counts (run_id, epoch, agent, fingerprint, likeness, request, answer)
         values ($1, $2, $3, $4, $5, $6::json, $7::jsonb) on conflict do nothing`,
    [
      ...[runId, epoch, storable(agent), fingerprint, likeness],
      ...[storableJson(request.request), storableJson(answer)],
    ],
  );
}
