import type { z } from 'zod';
import { archivedDocumentSchema, deletionDocumentSchema, labelsDocumentSchema } from '../../domain/views/deletion.js';
import {
  cancelledBatchSchema,
  cancelledRunSchema,
  pauseDocumentSchema,
  resumeDocumentSchema,
  retryDocumentSchema,
} from '../../domain/views/batch-control.js';
import { batchDocumentSchema, batchesDocumentSchema } from '../../domain/views/batches.js';
import {
  agentsDocumentSchema,
  modelsDocumentSchema,
  modelTestsDocumentSchema,
  pricesChecksDocumentSchema,
  taskDocumentSchema,
  tasksDocumentSchema,
  validationDocumentSchema,
} from '../../domain/views/catalog.js';
import {
  comparisonDocumentSchema,
  comparisonsDocumentSchema,
  removedComparisonSchema,
  shownComparisonSchema,
} from '../../domain/views/comparisons.js';
import { environmentDocumentSchema } from '../../domain/views/environments.js';
import {
  databaseRolesSchema,
  databaseUrlSchema,
  migrationDocumentSchema,
  queryResultSchema,
} from '../../domain/views/database.js';
import { demoDocumentSchema } from '../../domain/views/demo.js';
import { episodeRewardsSchema } from '../../domain/views/episodes.js';
import { eventsDocumentSchema } from '../../domain/views/events.js';
import {
  completionDocumentSchema,
  doctorDocumentSchema,
  downDocumentSchema,
  imagesDocumentSchema,
  pruneDocumentSchema,
  upDocumentSchema,
  workerDocumentSchema,
} from '../../domain/views/home.js';
import {
  changedHostSchema,
  hostInvitationSchema,
  hostsDocumentSchema,
  joinedHostSchema,
  slurmScriptSchema,
} from '../../domain/views/hosts.js';
import { exportDocumentSchema, importDocumentSchema } from '../../domain/views/imports.js';
import { leaderboardSchema } from '../../domain/views/leaderboard.js';
import { notificationsDocumentSchema, notificationTestSchema } from '../../domain/views/notifications.js';
import { logsDocumentSchema } from '../../domain/views/logs.js';
import { promptDocumentSchema } from '../../domain/views/prompt.js';
import { changedLimitsSchema, limitsDocumentSchema } from '../../domain/views/rate-accounts.js';
import {
  changedScheduleSchema,
  scheduleSchema,
  schedulesDocumentSchema,
  shownScheduleSchema,
} from '../../domain/views/schedules.js';
import { runDetailSchema, runsDocumentSchema } from '../../domain/views/runs.js';
import { searchDocumentSchema } from '../../domain/views/search.js';
import { treeSchema } from '../../domain/views/tree.js';
import { forkedDocumentSchema, submittedDocumentSchema } from '../../domain/views/submissions.js';
import {
  harborSurveySchema,
  harborImportSchema,
  importedTasksDocumentSchema,
  newTaskDocumentSchema,
  preparationDocumentSchema,
  taskChecksDocumentSchema,
  verificationDocumentSchema,
} from '../../domain/views/tasks.js';
import {
  episodeLineSchema,
  episodesDocumentSchema,
  exportedEpisodesSchema,
  policyMetricsSchema,
  shownEpisodeSchema,
} from '../../domain/views/training.js';
import { trajectoryDocumentSchema } from '../../domain/views/trajectory.js';
import {
  addedTokenSchema,
  removedTokenSchema,
  pageServerDocumentSchema,
  pageExportDocumentSchema,
  tokensDocumentSchema,
} from '../../domain/views/page.js';
import { pairsSchema } from '../../domain/views/pairs.js';

/** A document that a command prints with `--json`; `when`: not always. */
export interface Printed {
  when?: string;
  schema: z.ZodType;
}

const waited: Printed = { when: 'with `--wait`', schema: batchDocumentSchema };
const changedHost: Printed[] = [{ schema: changedHostSchema }];
const changedSchedule: Printed[] = [{ schema: changedScheduleSchema }];
const changedLimits: Printed[] = [{ schema: changedLimitsSchema }];
const imported: Printed[] = [{ schema: importDocumentSchema }];

/** What each command prints, in the reference's order. Only the reference and the tests load it. */
export const documents: Readonly<Record<string, readonly Printed[]>> = {
  demo: [{ schema: demoDocumentSchema }],
  up: [{ schema: upDocumentSchema }],
  down: [{ schema: downDocumentSchema }],
  doctor: [{ schema: doctorDocumentSchema }],
  plan: [{ schema: submittedDocumentSchema }],
  submit: [{ schema: submittedDocumentSchema }, waited],
  fork: [{ schema: forkedDocumentSchema }, waited],
  pause: [{ schema: pauseDocumentSchema }],
  resume: [{ schema: resumeDocumentSchema }, { when: 'with `--wait` on one batch', schema: batchDocumentSchema }],
  retry: [{ schema: retryDocumentSchema }, waited],
  cancel: [
    { when: 'of a batch', schema: cancelledBatchSchema },
    { when: 'of a run', schema: cancelledRunSchema },
  ],
  'schedule create': [{ schema: scheduleSchema }],
  'schedule list': [{ schema: schedulesDocumentSchema }],
  'schedule show': [{ schema: shownScheduleSchema }],
  'schedule pause': changedSchedule,
  'schedule resume': changedSchedule,
  'schedule trigger': changedSchedule,
  'schedule backfill': changedSchedule,
  'schedule accept': changedSchedule,
  'schedule delete': changedSchedule,
  'batches list': [{ schema: batchesDocumentSchema }],
  'batches archive': [{ schema: archivedDocumentSchema }],
  'batches delete': [{ schema: deletionDocumentSchema }],
  'batches label': [{ schema: labelsDocumentSchema }],
  'runs delete': [{ schema: deletionDocumentSchema }],
  'runs label': [{ schema: labelsDocumentSchema }],
  status: [{ schema: batchDocumentSchema }],
  serve: [{ schema: pageServerDocumentSchema }],
  'page export': [{ schema: pageExportDocumentSchema }],
  'tokens add': [{ schema: addedTokenSchema }],
  'tokens list': [{ schema: tokensDocumentSchema }],
  'tokens remove': [{ schema: removedTokenSchema }],
  watch: [{ schema: batchDocumentSchema }],
  'runs list': [{ schema: runsDocumentSchema }],
  show: [{ schema: runDetailSchema }],
  logs: [{ schema: logsDocumentSchema }],
  trajectory: [{ schema: trajectoryDocumentSchema }],
  prompt: [{ schema: promptDocumentSchema }],
  events: [{ schema: eventsDocumentSchema }],
  search: [{ schema: searchDocumentSchema }],
  tree: [{ schema: treeSchema }],
  'hosts list': [{ schema: hostsDocumentSchema }],
  'hosts drain': changedHost,
  'hosts undrain': changedHost,
  'hosts remove': changedHost,
  'hosts invite': [{ schema: hostInvitationSchema }],
  'hosts join': [{ schema: joinedHostSchema }],
  'hosts slurm': [{ schema: slurmScriptSchema }],
  'hosts revoke': changedHost,
  'notify list': [{ schema: notificationsDocumentSchema }],
  'notify test': [{ schema: notificationTestSchema }],
  'limits list': [{ schema: limitsDocumentSchema }],
  'limits set': changedLimits,
  'limits reset': changedLimits,
  leaderboard: [{ schema: leaderboardSchema }],
  compare: [{ schema: pairsSchema }],
  'comparisons save': [{ schema: comparisonDocumentSchema }],
  'comparisons list': [{ schema: comparisonsDocumentSchema }],
  'comparisons show': [{ schema: shownComparisonSchema }],
  'comparisons remove': [{ schema: removedComparisonSchema }],
  'episodes list': [{ schema: episodesDocumentSchema }],
  'episodes show': [{ schema: shownEpisodeSchema }],
  'episodes export': [{ schema: exportedEpisodesSchema }, { when: 'each line of the file', schema: episodeLineSchema }],
  'episodes reward': [{ schema: episodeRewardsSchema }],
  sql: [{ schema: queryResultSchema }],
  export: [{ schema: exportDocumentSchema }],
  'import mlgym': imported,
  'import jsonl': imported,
  'import atif': imported,
  'import inspect': imported,
  'db url': [{ schema: databaseUrlSchema }],
  'db migrate': [{ schema: migrationDocumentSchema }],
  'db roles': [{ schema: databaseRolesSchema }],
  'tasks list': [{ schema: tasksDocumentSchema }],
  'tasks show': [{ schema: taskDocumentSchema }],
  'tasks prepare': [{ schema: preparationDocumentSchema }],
  'tasks check': [{ schema: taskChecksDocumentSchema }],
  'tasks survey': [{ schema: harborSurveySchema }],
  'tasks verify': [{ schema: verificationDocumentSchema }],
  'tasks new': [{ schema: newTaskDocumentSchema }],
  'tasks import mlgym': [{ schema: importedTasksDocumentSchema }],
  'tasks import harbor': [{ schema: harborImportSchema }],
  'models list': [{ schema: modelsDocumentSchema }],
  'models check': [{ schema: pricesChecksDocumentSchema }],
  'models test': [{ schema: modelTestsDocumentSchema }],
  'agents list': [{ schema: agentsDocumentSchema }],
  'images build': [{ schema: imagesDocumentSchema }],
  prune: [{ schema: pruneDocumentSchema }],
  'validate-config': [{ schema: validationDocumentSchema }],
  worker: [{ schema: workerDocumentSchema }],
  'env serve': [
    { schema: environmentDocumentSchema },
    { when: 'each line of `GET /v1/metrics`', schema: policyMetricsSchema },
  ],
  completion: [{ schema: completionDocumentSchema }],
};
