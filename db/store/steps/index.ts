import type { StepLog } from '../../../domain/ports/record/steps.js';
import type { Statements } from '../../statements.js';
import { commandGoesOn, saveAction, saveCommand } from './commands.js';
import { takeOver } from './fences.js';
import { recordedStep, shownSteps, lastExecuted, recordedCommands, usedMs } from './records.js';

export const stepStore = (run: Statements): StepLog => ({
  takeOver: (args) => takeOver(run, args),
  step: (runId, step, fence) => recordedStep(run, runId, step, fence),
  shownSteps: (runId, which) => shownSteps(run, runId, which),
  lastExecuted: (runId, through) => lastExecuted(run, runId, through),
  usedMs: (runId, through) => usedMs(run, runId, through),
  recordedCommands: (runId, which) => recordedCommands(run, runId, which),
  commandGoesOn: (runId, step, printed) => commandGoesOn(run, runId, step, printed),
  saveAction: (runId, step, action, fence) => saveAction(run, runId, step, action, fence),
  saveCommand: (runId, step, command, more) => saveCommand(run, runId, step, command, more),
});
