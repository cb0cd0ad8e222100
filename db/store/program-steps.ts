import type { Json } from '../../domain/gateway/json.js';
import type { SplitRequest } from '../../domain/gateway/request-parts.js';
import type { OpenStep, ProgramLog } from '../../domain/ports/record/program-log.js';
import { type Statements, storable } from '../statements.js';
import { closeCalls } from './open-calls.js';
import { untilSettled } from './until-settled.js';

/** JSON of the database holds neither NUL characters nor halves of a pair. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? storable(item) : item));

/** What a claim violates that races with another one. */
const TAKEN = ['program_steps_pkey', 'program_steps_key'];

/** Steps of programs, and what they asked. */
export function programStore(run: Statements): ProgramLog {
  const keepParts = async (runId: string, { parts }: SplitRequest): Promise<void> => {
    if (parts.size === 0) return;
    const all = [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
    // As one JSON text: lists of texts are escaped character by character, in megabytes.
    const rows = all.map(([hash, part]) => `{"hash":"${hash}","part":${storableJson(part)}}`);
    await run(
      'keepParts',
      `insert into program_parts (run_id, hash, part)
       select $1, given ->> 'hash', given -> 'part' from json_array_elements($2::json) given
       on conflict do nothing`,
      [runId, `[${rows.join(',')}]`],
    );
  };
  return {
    claimStep: (runId, key, epoch, call) =>
      untilSettled(`claimStep ${key} of run ${runId}`, async () => {
        const [row] = await run<{ step: number | null }>(
          'claimStep',
          `with mine as (select run_id from runs where run_id = $1 for update),
           known as (select step from program_steps where run_id = $1 and key = $2),
           next as (
             select 1 + greatest(
               coalesce((select max(step) from program_steps where run_id = $1), 0),
               coalesce((select max(step) from steps where run_id = $1), 0)) as step
             from mine
           ), taken as (
             insert into program_steps (run_id, step, key, agent, wire, fingerprint, epoch, likeness)
             select $1, next.step, $2, $4, $5, $6, $7, $8 from next
             where not exists (select from known) and ($3::int is null or next.step <= $3)
             returning step
           )
           select coalesce((select step from known), (select step from taken)) as step from mine`,
          [
            ...[runId, key, call?.most ?? null, storable(call?.agent ?? ''), call?.wire ?? null],
            ...[call?.fingerprint ?? null, epoch, call?.likeness ?? null],
          ],
        ).catch((error: unknown) => {
          // A concurrent claim took the number.
          if (error instanceof Error && 'constraint' in error && TAKEN.includes(String(error.constraint))) return [];
          throw error;
        });
        return row === undefined ? undefined : row.step;
      }),

    async keepRequest(runId, step, request) {
      await keepParts(runId, request);
      await run('keepRequest', 'update program_steps set request = $3::json where run_id = $1 and step = $2', [
        ...[runId, step, storableJson(request.request)],
      ]);
    },

    async keepAnswer(runId, step, answer) {
      await run(
        'keepAnswer',
        'update program_steps set answer = $3::jsonb where run_id = $1 and step = $2 and answer is null',
        [runId, step, storableJson(answer)],
      );
    },

    async clientGone(runId, step) {
      await run('clientGone', 'update program_steps set client_gone = true where run_id = $1 and step = $2', [
        runId,
        step,
      ]);
    },

    async takeAnswer(runId, fingerprint, epoch) {
      const [row] = await run<{ step: number; answer: Json }>(
        'takeAnswer',
        `update program_steps set handed_out_at = now(), replayed_epoch = case when epoch < $3 then $3 else replayed_epoch end
         where run_id = $1 and handed_out_at is null and step = (
           select step from program_steps
           where run_id = $1 and fingerprint = $2 and answer is not null and client_gone and handed_out_at is null
           order by step limit 1
         )
         returning step, answer`,
        [runId, fingerprint, epoch],
      );
      return row ?? null;
    },

    async replayAnswer(runId, epoch, { agent, fingerprint, likeness }) {
      // It is asked under another fingerprint now, and may break off again.
      const [row] = await run<{ step: number; answer: Json }>(
        'replayAnswer',
        `update program_steps set replayed_epoch = $2, fingerprint = $4, client_gone = false, handed_out_at = null
         where run_id = $1 and step = (
           select step from program_steps
           where run_id = $1 and agent = $3 and likeness = $5 and answer is not null and not abandoned
             and epoch < $2 and replayed_epoch is distinct from $2
           order by step limit 1 for update skip locked
         )
         returning step, answer`,
        [runId, epoch, storable(agent), fingerprint, likeness],
      );
      return row ?? null;
    },

    async replayValidation(runId, epoch, number) {
      const [row] = await run<{ step: number }>(
        'replayValidation',
        `update program_steps set replayed_epoch = $2
         where run_id = $1 and step = (
           select p.step from program_steps p join steps s on s.run_id = p.run_id and s.step = p.step
           where p.run_id = $1 and p.key like 'validate-%-' || $3::int and p.epoch < $2 and not p.abandoned
             and s.observation <> ''
           order by p.step desc limit 1
         ) and not exists (
           select from program_steps p where p.run_id = $1 and p.epoch = $2 and p.fingerprint is not null
         )
         returning step`,
        [runId, epoch, number],
      );
      return row?.step ?? null;
    },

    async leaveRecord(runId, epoch, agent) {
      const left = await run<{ answered: boolean }>(
        'leaveRecord',
        `update program_steps set abandoned = true
         where run_id = $1 and epoch < $2 and replayed_epoch is distinct from $2 and not abandoned
           and (agent = $3 and fingerprint is not null or key like 'validate-%')
         returning answer is not null as answered`,
        [runId, epoch, storable(agent)],
      );
      return left.filter(({ answered }) => answered).length;
    },

    async knownCount(runId, epoch, { fingerprint, likeness }) {
      const [row] = await run<{ answer: Json }>(
        'knownCount',
        `select answer from program_counts
         where run_id = $1 and (fingerprint = $3 or likeness = $4 and epoch < $2)
         order by fingerprint = $3 desc, created_at limit 1`,
        [runId, epoch, fingerprint, likeness],
      );
      return row?.answer ?? null;
    },

    async keepCount(runId, epoch, { agent, fingerprint, likeness, request, answer }) {
      await keepParts(runId, request);
      await run(
        'keepCount',
        `insert into program_counts (run_id, epoch, agent, fingerprint, likeness, request, answer)
         values ($1, $2, $3, $4, $5, $6::json, $7::jsonb) on conflict do nothing`,
        [
          ...[runId, epoch, storable(agent), fingerprint, likeness],
          ...[storableJson(request.request), storableJson(answer)],
        ],
      );
    },

    async askedModel(runId) {
      const [row] = await run<{ asked: boolean }>(
        'askedModel',
        'select exists (select from program_steps where run_id = $1 and fingerprint is not null) as asked',
        [runId],
      );
      return row?.asked === true;
    },

    async openSteps(runId) {
      return run<OpenStep>(
        'openSteps',
        `select s.step, array(select call ->> 'id' from jsonb_array_elements(c.tool_calls) call) as calls
         from steps s join model_calls c on c.run_id = s.run_id and c.step = s.step and c.status = 'confirmed'
         where s.run_id = $1 and s.observation is null and jsonb_typeof(c.tool_calls) = 'array'
         order by s.step`,
        [runId],
      );
    },

    async observe(runId, step, observation) {
      await run(
        'observe',
        `update steps set observation = $3, executed_at = now(), output_bytes = octet_length($3)
         where run_id = $1 and step = $2 and observation is null`,
        [runId, step, storable(observation)],
      );
    },

    async giveUpCalls(runId) {
      await closeCalls(run, [runId]);
      await run(
        'giveUpCallsSteps',
        `insert into steps (run_id, step, response, thought, action, observation, executed_at)
         select p.run_id, p.step, '', '', null, '[the answer was lost]', now()
         from program_steps p
         where p.run_id = $1 and p.fingerprint is not null
           and not exists (select from steps s where s.run_id = p.run_id and s.step = p.step)
         on conflict do nothing`,
        [runId],
      );
    },
  };
}
