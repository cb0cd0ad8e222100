import type { Json } from '../../../domain/gateway/json.js';
import type { SplitRequest } from '../../../domain/gateway/request-parts.js';
import type { Statements } from '../../statements.js';
import { keepParts, storableJson } from './request-parts.js';

export async function keepRequest(run: Statements, runId: string, step: number, request: SplitRequest): Promise<void> {
  await keepParts(run, runId, request);
  await run('keepRequest', 'update program_steps set request = $3::json where run_id = $1 and step = $2', [
    ...[runId, step, storableJson(request.request)],
  ]);
}

export async function keepAnswer(run: Statements, runId: string, step: number, answer: Json): Promise<void> {
  await run(
    'keepAnswer',
    'update program_steps set answer = $3::jsonb where run_id = $1 and step = $2 and answer is null',
    [runId, step, storableJson(answer)],
  );
}

export async function clientDisconnected(run: Statements, runId: string, step: number): Promise<void> {
  await run(
    'clientDisconnected',
    'update program_steps set client_disconnected = true where run_id = $1 and step = $2',
    [runId, step],
  );
}

export async function askedModel(run: Statements, runId: string): Promise<boolean> {
  const [row] = await run<{ asked: boolean }>(
    'askedModel',
    'select exists (select from program_steps where run_id = $1 and fingerprint is not null) as asked',
    [runId],
  );
  return row?.asked === true;
}
