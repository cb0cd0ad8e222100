import type { EvaluationLog } from '../../../domain/ports/record/evaluations.js';
import type { Statements } from '../../statements.js';
import { evaluationNumber } from './numbers.js';
import { evaluationOf, saveEvaluation, earlierScore } from './scores.js';
import { validationsBefore, validSubmission } from './validations.js';

type Evaluations = EvaluationLog;

export const evaluationStore = (run: Statements): Evaluations => ({
  evaluationNumber: (runId, step, kind) => evaluationNumber(run, runId, step, kind),
  evaluation: (runId, step, kind) => evaluationOf(run, runId, step, kind),
  saveEvaluation: (evaluation) => saveEvaluation(run, evaluation),
  validationsBefore: (runId, step) => validationsBefore(run, runId, step),
  earlierScore: (runId, submissionSha256, split) => earlierScore(run, runId, submissionSha256, split),
  validSubmission: (runId, which) => validSubmission(run, runId, which),
});
