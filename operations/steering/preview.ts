import { plural } from '../../domain/text/format.js';
import { createHash } from 'node:crypto';
import { compareUsd } from '../../domain/model/price.js';
import { BenchError } from '../../domain/errors.js';
import type { BatchPages } from '../../domain/ports/reading/batch-pages.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import { UNSCORED_ENDS } from '../../domain/run/outcomes.js';
import { wantedLabels } from '../../domain/requests/deletion.js';
import type { Preview } from '../../domain/views/steering.js';
import { listHosts } from '../home/hosts/list.js';

export type SteeredKind = 'batches' | 'runs' | 'hosts';

export interface WantedAction {
  of: SteeredKind;
  /** An unambiguous part of a batch's or run's id is enough. */
  id: string;
  action: string;
  options: Readonly<Record<string, unknown>>;
}

interface BatchJudgePorts {
  queries: Pick<BatchReads, 'findBatch'>;
  pages: Pick<BatchPages, 'batchHead'>;
  batchControl: Pick<BatchControl, 'replaceable'>;
}

interface RunJudgePorts {
  queries: Pick<RunReads, 'findRun'>;
  batchControl: Pick<BatchControl, 'replaceable'>;
}

type HostJudgePorts = Parameters<typeof listHosts>[0];

export type PreviewPorts = BatchJudgePorts & RunJudgePorts & HostJudgePorts;

type Effect = Preview['effects'][number];

interface Judged {
  subject: string;
  refusal: string | null;
  effects: Effect[];
  final?: boolean;
  /** Must still be equal when the action is performed. Without growing counters such as steps. */
  state: unknown;
}

const effect = (what: string, count: number | null, text: string): Effect => ({ what, count, text });

/** Counts what an action would do now; changes nothing. */
export async function previewAction(ports: PreviewPorts, wanted: WantedAction): Promise<Preview> {
  const judged = await judge(ports, wanted);
  const { subject, refusal, effects, final = false, state } = judged;
  const tag = createHash('sha256')
    .update(JSON.stringify([wanted.of, wanted.action, subject, wanted.options, refusal, state]))
    .digest('base64url')
    .slice(0, 24);
  return { action: wanted.action, subject, allowed: refusal === null, refusal, effects, final, tag };
}

function judge(ports: PreviewPorts, wanted: WantedAction): Promise<Judged> {
  if (wanted.of === 'batches') return judgeBatch(ports, wanted);
  return wanted.of === 'runs' ? judgeRun(ports, wanted) : judgeHost(ports, wanted);
}

const unknown = (action: string): BenchError => new BenchError('not_found', `no action ${JSON.stringify(action)}`);

async function judgeBatch(
  { queries, pages, batchControl }: BatchJudgePorts,
  { id, action, options }: WantedAction,
): Promise<Judged> {
  const { batchId } = await queries.findBatch(id);
  const { batch } = await pages.batchHead(batchId);
  const { status, pausedAt, byStatus, budgetUsd, chargedUsd, costUsd } = batch;
  const over = status === 'ended' || status === 'cancelled';
  const waiting = byStatus['queued'] ?? 0;
  const inFlight = batch.totalRuns - waiting - batch.ended;
  const left = effect('runs_not_begun_end', waiting, `${plural(waiting, 'run')} not begun never start`);
  switch (action) {
    case 'pause':
      return {
        subject: batchId,
        refusal: over ? `the batch is ${status}` : pausedAt !== null ? 'the batch is paused already' : null,
        effects: [
          effect('runs_in_flight_continue', inFlight, `${plural(inFlight, 'run')} in flight continue to their end`),
          effect('runs_not_begun_wait', waiting, `${plural(waiting, 'run')} not begun wait until it is resumed`),
        ],
        state: [status, pausedAt],
      };
    case 'resume': {
      const open = batch.totalRuns - batch.ended;
      return {
        subject: batchId,
        refusal: over ? `the batch is ${status}` : null,
        effects: [effect('runs_continue', open, `${plural(open, 'run')} not ended continue`)],
        state: [status, pausedAt],
      };
    }
    case 'budget': {
      const usd = String(options['usd']);
      const stopped = batch.byEndReason['budget'] ?? 0;
      const refusal =
        budgetUsd === null
          ? 'the batch was submitted without a budget'
          : compareUsd(usd, budgetUsd) <= 0
            ? `the budget is $${budgetUsd} already: name a larger one`
            : null;
      return {
        subject: batchId,
        refusal,
        effects: [
          effect(
            'budget_usd',
            null,
            `the budget is $${usd} instead of $${budgetUsd ?? 'none'}; $${chargedUsd} are charged`,
          ),
          effect('runs_continue', stopped, `${plural(stopped, 'run')} that the old budget ended continue`),
        ],
        state: [status, budgetUsd],
      };
    }
    case 'cancel':
      return {
        subject: batchId,
        refusal: over || waiting + inFlight === 0 ? `the batch is ${over ? status : 'over'}` : null,
        effects: [
          effect('runs_in_flight_end', inFlight, `${plural(inFlight, 'run')} in flight end, and are not scored`),
          left,
          effect('spent_usd', null, `$${costUsd} spent stays spent`),
        ],
        final: true,
        state: [status, inFlight, waiting],
      };
    case 'label':
      return { subject: batchId, ...judgeLabels(batch, options) };
    case 'retry':
      return { subject: batchId, ...(await judgeRetry(batchControl.replaceable({ batchId }, endsOf(options)))) };
    default:
      throw unknown(action);
  }
}

const endsOf = ({ all }: WantedAction['options']) => (all === true ? UNSCORED_ENDS : (['infra_error'] as const));

async function judgeRetry(found: Promise<{ runId: string }[]>): Promise<Omit<Judged, 'subject'>> {
  const again = await found;
  return {
    refusal: again.length === 0 ? 'each run that ended by a fault is repeated already' : null,
    effects: [
      effect(
        'runs_repeated',
        again.length,
        `${plural(again.length, 'run')} start again; the old ones stay as they are`,
      ),
    ],
    state: again.map(({ runId }) => runId).sort(),
  };
}

function judgeLabels(
  { note, tags }: { note: string | null; tags: readonly string[] },
  options: WantedAction['options'],
): Omit<Judged, 'subject'> {
  const { tags: wanted, note: text } = wantedLabels(options);
  const same = text === (note ?? '') && JSON.stringify(wanted) === JSON.stringify([...tags].sort());
  return {
    refusal: same ? 'these are its labels already' : null,
    effects: [
      effect('tags', wanted.length, wanted.length === 0 ? 'it has no tag' : `its tags are ${wanted.join(', ')}`),
      effect('note', null, text === '' ? 'it has no note' : 'its note is the one above'),
    ],
    state: [note, tags],
  };
}

async function judgeRun(
  { queries, batchControl }: RunJudgePorts,
  { id, action, options }: WantedAction,
): Promise<Judged> {
  const run = await queries.findRun(id);
  const { runId, status, steps, costUsd } = run;
  switch (action) {
    case 'cancel':
      return {
        subject: runId,
        refusal: status === 'ended' ? 'the run has ended' : null,
        effects: [
          effect('runs_end', 1, `it ends after ${steps} steps, and is not scored`),
          effect('spent_usd', null, `$${costUsd} spent stays spent`),
        ],
        final: true,
        state: [status === 'ended'],
      };
    case 'label':
      return { subject: runId, ...judgeLabels(run, options) };
    case 'retry':
      return { subject: runId, ...(await judgeRetry(batchControl.replaceable({ runId }, endsOf(options)))) };
    case 'fork': {
      const [step, attempts] = [Number(options['step']), Number(options['attempts'] ?? 1)];
      return {
        subject: runId,
        refusal: run.origin !== 'bench' ? 'the run was imported' : step > steps ? `it has no step ${step}` : null,
        effects: [
          effect('runs_new', attempts, `a new batch of ${plural(attempts, 'run')} that continue after step ${step}`),
        ],
        state: [runId],
      };
    }
    default:
      throw unknown(action);
  }
}

async function judgeHost(ports: HostJudgePorts, { id, action }: WantedAction): Promise<Judged> {
  const host = (await listHosts(ports, { includeRemoved: false })).find(({ hostId }) => hostId === id);
  if (host === undefined)
    throw new BenchError('not_found', `no host ${JSON.stringify(id)}`, {
      code: 'host.not_found',
      remedy: '`bench hosts` lists them.',
    });
  const { state, activeRuns } = host;
  const stay = effect('runs_continue', activeRuns, `${plural(activeRuns, 'run')} on it continue`);
  switch (action) {
    case 'drain':
      return {
        subject: id,
        refusal: state === 'drained' ? 'it is drained already' : null,
        effects: [stay],
        state: [state],
      };
    case 'undrain':
      return {
        subject: id,
        refusal: state === 'drained' ? null : 'it is not drained',
        effects: [stay],
        state: [state],
      };
    case 'remove':
      return {
        subject: id,
        refusal: state === 'silent' || state === 'lost' ? null : 'a host that is up cannot be removed',
        effects: [effect('runs_move', activeRuns, `${plural(activeRuns, 'run')} on it move to other hosts`)],
        final: true,
        state: [state, activeRuns],
      };
    default:
      throw unknown(action);
  }
}
