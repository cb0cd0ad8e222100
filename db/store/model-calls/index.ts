import type { RunStore } from '../../../domain/ports/run-store.js';
import type { Statements } from '../../statements.js';
import { releaseUnsent } from '../open-calls.js';
import { modelHasAnswered, storedAnswer } from './answers.js';
import { reserveCall, sendingCall, reservationFactor } from './reservations.js';
import { settleCall, failCall } from './settlements.js';
import { noteRefused, spending } from './spending.js';

/** A question is answered, and paid, once. */
export const modelCallStore = (
  run: Statements,
): Pick<
  RunStore,
  | 'reserveCall'
  | 'sendingCall'
  | 'releaseUnsent'
  | 'reservationFactor'
  | 'modelHasAnswered'
  | 'storedAnswer'
  | 'settleCall'
  | 'failCall'
  | 'spending'
  | 'noteRefused'
> => ({
  releaseUnsent: (runIds) => releaseUnsent(run, runIds),
  reserveCall: (key, request) => reserveCall(run, key, request),
  sendingCall: (key, attempt) => sendingCall(run, key, attempt),
  modelHasAnswered: (batchId, model) => modelHasAnswered(run, batchId, model),
  reservationFactor: (account, model) => reservationFactor(run, account, model),
  storedAnswer: (key) => storedAnswer(run, key),
  settleCall: (key, reply, ms, more) => settleCall(run, key, reply, ms, more),
  failCall: (key, errorType, billed, more) => failCall(run, key, errorType, billed, more),
  spending: (runId) => spending(run, runId),
  noteRefused: (runId, reservedUsd) => noteRefused(run, runId, reservedUsd),
});
