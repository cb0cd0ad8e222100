import type { RunDefinitions } from './record/run-definitions.js';
import type { RunLifecycle } from './record/run-lifecycle.js';
import type { BatchLifecycle } from './record/batch-lifecycle.js';
import type { SnapshotLog } from './record/snapshots.js';
import type { ProgramLog } from './record/program-log.js';
import type { StepLog } from './record/steps.js';
import type { CallLedger } from './record/call-ledger.js';
import type { ImageLog } from './record/images.js';
import type { MemoryLog } from './record/memories.js';
import type { SubmissionLog } from './record/submissions.js';
import type { EvaluationLog } from './record/evaluations.js';
import type { HiddenEvaluations } from './record/hidden-evaluations.js';
import type { EventLog } from './record/events.js';
import type { HostRegistry } from './record/hosts.js';
import type { Placements } from './record/placement.js';
import type { LiveOutputs } from './record/live-outputs.js';
import type { Leases } from './record/leases.js';
import type { Trees } from './record/trees.js';
import type { ToolLog } from './record/tool-log.js';
import type { TaskArchives } from './record/task-archives.js';
import type { UnfinishedWork } from './record/unfinished-work.js';
import type { WarmSandboxes } from './record/warm-sandboxes.js';

/** The whole record of runs; activities use its parts. Every write is keyed and may be repeated. */
export type RunStore = RunDefinitions &
  RunLifecycle &
  BatchLifecycle &
  SnapshotLog &
  StepLog &
  ProgramLog &
  CallLedger &
  ImageLog &
  MemoryLog &
  SubmissionLog &
  EvaluationLog &
  HiddenEvaluations &
  EventLog &
  HostRegistry &
  Placements &
  Leases &
  LiveOutputs &
  Trees &
  TaskArchives &
  ToolLog &
  UnfinishedWork &
  WarmSandboxes;
