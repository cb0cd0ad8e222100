import type { ProgramLog } from '../../../domain/ports/record/program-log.js';
import type { Statements } from '../../statements.js';
import { claimStep } from './claims.js';
import { knownCount, keepCount } from './counts.js';
import { keepRequest, keepAnswer, clientDisconnected, askedModel } from './exchanges.js';
import { openSteps, observe, giveUpCalls } from './observations.js';
import { takeAnswer, replayAnswer, replayValidation, leaveRecord } from './replays.js';

export const programStore = (run: Statements): ProgramLog => ({
  claimStep: (runId, key, epoch, call) => claimStep(run, runId, key, epoch, call),
  keepRequest: (runId, step, request) => keepRequest(run, runId, step, request),
  keepAnswer: (runId, step, answer) => keepAnswer(run, runId, step, answer),
  clientDisconnected: (runId, step) => clientDisconnected(run, runId, step),
  takeAnswer: (runId, fingerprint, epoch) => takeAnswer(run, runId, fingerprint, epoch),
  replayAnswer: (runId, epoch, call) => replayAnswer(run, runId, epoch, call),
  replayValidation: (runId, epoch, number) => replayValidation(run, runId, epoch, number),
  leaveRecord: (runId, epoch, agent) => leaveRecord(run, runId, epoch, agent),
  knownCount: (runId, epoch, call) => knownCount(run, runId, epoch, call),
  keepCount: (runId, epoch, call) => keepCount(run, runId, epoch, call),
  askedModel: (runId) => askedModel(run, runId),
  openSteps: (runId) => openSteps(run, runId),
  observe: (runId, step, observation) => observe(run, runId, step, observation),
  giveUpCalls: (runId) => giveUpCalls(run, runId),
});
