import type pg from 'pg';
import type { RunPageRequest, RunSelection } from '../../../domain/requests/run-filter.js';
import type { StepText } from '../../../domain/step-badges.js';
import type { BatchHead, BatchPage, BatchRow, BatchSpend } from '../../../domain/views/batch-pages.js';
import type { EventRow } from '../../../domain/views/events.js';
import type { Lineage, ModelCalls, RunHead, RunSetup, Waiting } from '../../../domain/views/run-head.js';
import type { ActiveRuns, RunFacetCounts, RunPage, RunRow } from '../../../domain/views/run-page.js';
import type { EvaluationDetail } from '../../../domain/views/runs.js';
import type { ClippedStep, StepColumns, StepSkeleton } from '../../../domain/views/steps.js';
import { queryError } from '../../database-error.js';
import { type Statements, statements } from '../../statements.js';
import { listEvaluations } from '../runs.js';
import {
  batchHead,
  batchMatrix,
  batchPage,
  type BatchPageRequest,
  batchRowsOf,
  type ForecastRun,
  concurrencyOf,
  forecastRuns,
  spendBuckets,
} from './batch-pages.js';
import { changedSince, type Changes, clockBefore, type Watched } from './changes.js';
import { eventDetail, eventPage, type EventPageRequest } from './event-page.js';
import { liveOutput } from './live-output.js';
import { modelCalls } from './model-calls.js';
import { pairableRuns, type PairableRun } from './paired-runs.js';
import { activeRuns } from './active-runs.js';
import { runFacets } from './run-facets.js';
import { lineageOf, runHead } from './run-head.js';
import { runPage, runRowsOf } from './run-page.js';
import { runSetup, takenFiles } from './run-setup.js';
import { databaseSchema } from './schema.js';
import { integrityFlags, integritySummary } from './integrity.js';
import { playedList, playedSubject } from './subjects.js';
import { excerptsOf, runsContaining, searchedRuns, searchError, searchSlice, submissionsOf } from './search.js';
import { stepBodies, stepText, type TextPart } from './step-bodies.js';
import { stepColumns, stepSkeleton } from './step-skeleton.js';
import { waitingReasons } from './waiting-reasons.js';

/** Reads that are made for pages: by parts, whatever the size of a run, a batch or the database. Ids are whole. */
export interface Pages {
  runPage(request: RunPageRequest): Promise<RunPage>;
  runFacets(filter: RunSelection): Promise<RunFacetCounts>;
  activeRuns(): Promise<ActiveRuns>;
  runRows(runIds: readonly string[]): Promise<RunRow[]>;
  runHead(runId: string): Promise<RunHead>;
  runSetup(runId: string): Promise<Omit<RunSetup, 'firstPrompt'>>;
  takenFiles(runId: string): ReturnType<typeof takenFiles>;
  lineage(runId: string): Promise<Lineage>;
  waiting(runId: string): Promise<Waiting>;
  modelCalls(runId: string, page: { after?: string | undefined; limit: number }): Promise<ModelCalls>;
  evaluations(runId: string): Promise<EvaluationDetail[]>;
  skeleton(runId: string, page: { after: number; limit: number }): Promise<StepSkeleton>;
  stepColumns(runId: string, steps: readonly number[]): Promise<StepColumns>;
  steps(runId: string, window: { from: number; to: number; preview: number }): Promise<ClippedStep[]>;
  /** `to`: the last byte; null: to the end. */
  stepText(of: { runId: string; step: number; text: StepText; from: number; to: number | null }): Promise<TextPart>;
  batchPage(request: BatchPageRequest): Promise<BatchPage>;
  batchRows(batchIds: readonly string[]): Promise<BatchRow[]>;
  batchHead(batchId: string): Promise<Omit<BatchHead, 'forecast'>>;
  batchMatrix(batchId: string): ReturnType<typeof batchMatrix>;
  spendBuckets(batchId: string, buckets: number): Promise<Omit<BatchSpend, 'forecast'>>;
  concurrencyOf(batchId: string): Promise<number>;
  forecastRuns(batchId: string): Promise<ForecastRun[]>;
  pairableRuns(of: Parameters<typeof pairableRuns>[1]): Promise<PairableRun[]>;
  /** What of the watched is other than then, or came since; `since` is a `now` of before. */
  changedSince(watched: Watched, since: string): Promise<Changes>;
  /** The database's clock, so many seconds ago. */
  clockBefore(seconds: number): Promise<string>;
  /** Of the event of this key, of a run, else of a batch, else of neither; null: there is none. */
  eventDetail(of: { runId: string | null; batchId: string | null; key: string }): Promise<string | null>;
  searchedRuns(...of: Rest<typeof searchedRuns>): ReturnType<typeof searchedRuns>;
  searchSlice(...of: Rest<typeof searchSlice>): ReturnType<typeof searchSlice>;
  submissionsOf(...of: Rest<typeof submissionsOf>): ReturnType<typeof submissionsOf>;
  excerptsOf(...of: Rest<typeof excerptsOf>): ReturnType<typeof excerptsOf>;
  runsContaining(...of: Rest<typeof runsContaining>): ReturnType<typeof runsContaining>;
  integritySummary(): ReturnType<typeof integritySummary>;
  integrityFlags(...of: Rest<typeof integrityFlags>): ReturnType<typeof integrityFlags>;
  playedList(...of: Rest<typeof playedList>): ReturnType<typeof playedList>;
  playedSubject(...of: Rest<typeof playedSubject>): ReturnType<typeof playedSubject>;
  liveOutput(...of: Rest<typeof liveOutput>): ReturnType<typeof liveOutput>;
  databaseSchema(): ReturnType<typeof databaseSchema>;
  eventPage(request: EventPageRequest): Promise<{ events: EventRow[]; next: string | null }>;
}

/** What a read takes behind the statements. */
type Rest<Read> = Read extends (run: Statements, ...rest: infer Taken) => unknown ? Taken : never;

export function createPages(pool: pg.Pool): Pages {
  const run = statements(pool, queryError);
  const search = statements(pool, searchError);
  return {
    runPage: (request) => runPage(run, request),
    runFacets: (filter) => runFacets(run, filter),
    activeRuns: () => activeRuns(run),
    runRows: (runIds) => runRowsOf(run, runIds),
    runHead: (runId) => runHead(run, runId),
    runSetup: (runId) => runSetup(run, runId),
    takenFiles: (runId) => takenFiles(run, runId),
    lineage: (runId) => lineageOf(run, runId),
    waiting: (runId) => waitingReasons(run, runId),
    modelCalls: (runId, page) => modelCalls(run, runId, page),
    evaluations: (runId) => listEvaluations(run, runId, { after: -1, through: null }),
    skeleton: (runId, page) => stepSkeleton(run, runId, page),
    stepColumns: (runId, steps) => stepColumns(run, runId, steps),
    steps: (runId, window) => stepBodies(run, runId, window),
    stepText: (of) => stepText(run, of),
    batchPage: (request) => batchPage(run, request),
    batchRows: (batchIds) => batchRowsOf(run, batchIds),
    batchHead: (batchId) => batchHead(run, batchId),
    batchMatrix: (batchId) => batchMatrix(run, batchId),
    spendBuckets: (batchId, buckets) => spendBuckets(run, batchId, buckets),
    concurrencyOf: (batchId) => concurrencyOf(run, batchId),
    forecastRuns: (batchId) => forecastRuns(run, batchId),
    pairableRuns: (of) => pairableRuns(run, of),
    changedSince: (watched, since) => changedSince(run, watched, since),
    clockBefore: (seconds) => clockBefore(run, seconds),
    eventDetail: (of) => eventDetail(run, of),
    searchedRuns: (...of) => searchedRuns(search, ...of),
    searchSlice: (...of) => searchSlice(search, ...of),
    submissionsOf: (...of) => submissionsOf(search, ...of),
    excerptsOf: (...of) => excerptsOf(search, ...of),
    runsContaining: (...of) => runsContaining(search, ...of),
    integritySummary: () => integritySummary(run),
    integrityFlags: (...of) => integrityFlags(run, ...of),
    playedList: (...of) => playedList(run, ...of),
    playedSubject: (...of) => playedSubject(run, ...of),
    liveOutput: (...of) => liveOutput(run, ...of),
    databaseSchema: () => databaseSchema(run),
    eventPage: (request) => eventPage(run, request),
  };
}
