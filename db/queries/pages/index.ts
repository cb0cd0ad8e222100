import type { Pages } from '../../../domain/ports/reading/pages.js';
import type pg from 'pg';
import { queryError } from '../../database-error.js';
import { statements } from '../../statements.js';
import { listEvaluations } from '../runs.js';
import {
  batchHead,
  batchMatrix,
  batchPage,
  batchRowsOf,
  concurrencyOf,
  forecastRuns,
  spendBuckets,
} from './batch-pages.js';
import { changedSince, clockBefore } from './changes.js';
import { eventDetail, eventPage } from './event-page.js';
import { liveOutput } from './live-output.js';
import { modelCalls } from './model-calls.js';
import { pairableRuns, sideEnds } from './paired-runs.js';
import { activeRuns } from './active-runs.js';
import { runFacets } from './run-facets.js';
import { lineageOf, runHead } from './run-head.js';
import { runPage, runRowsOf } from './run-page.js';
import { runSetup, takenFiles } from './run-setup.js';
import { databaseSchema } from './schema.js';
import { integrityFlags, integritySummary } from './integrity.js';
import { playedList, playedSubject } from './subjects.js';
import { excerptsOf, runsContaining, searchedRuns, searchError, searchSlice, submissionsOf } from './search.js';
import { stepBodies, stepText } from './step-bodies.js';
import { stepColumns, stepSkeleton } from './step-skeleton.js';
import { trendOf } from './trend.js';
import { waitingReasons } from './waiting-reasons.js';

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
    sideEnds: (of) => sideEnds(run, of),
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
    trend: (of) => trendOf(run, of),
    liveOutput: (...of) => liveOutput(run, ...of),
    databaseSchema: () => databaseSchema(run),
    eventPage: (request) => eventPage(run, request),
  };
}
