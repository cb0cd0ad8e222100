import { z } from 'zod';
import { VERIFICATIONS } from '../harbor/verification.js';
import { relativeFile } from '../text/relative-file.js';

const seconds = z.number().int().positive();
const megabytes = z.number().int().positive();
const pythonName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a Python name');

const gpu = {
  /** Evaluations see the GPUs of their run. */
  gpu: z.boolean().optional(),
};
const referee = {
  ...gpu,
  /** Address space of the referee; array libraries need more than the default. */
  refereeMemoryMb: megabytes.default(512),
};
const player = {
  /** Address space of each of the player's processes. */
  memoryMb: megabytes.default(1024),
};

const interactive = {
  /** Module that the player process imports, from the submission or evaluator/player/. */
  module: pythonName,
  function: pythonName,
  timeoutSeconds: seconds.default(300),
  ...player,
  ...referee,
};

/** How submissions are scored: docs/concepts/evaluation.md. Time limits are per split. */
export const evaluatorSchema = z.discriminatedUnion('kind', [
  /** referee.py plays games against the submitted function: two processes and a pipe. */
  z.strictObject({ kind: z.literal('game'), ...interactive }),
  /** As a game, with any questions: plain values, bytes, many numbers. */
  z.strictObject({ kind: z.literal('questions'), ...interactive }),
  /** evaluator/referee.py reads the submitted files as data. No submitted code runs. */
  z.strictObject({
    kind: z.literal('data'),
    /** For the whole evaluation. */
    timeoutSeconds: seconds.default(300),
    ...referee,
  }),
  /** The program runs without the secrets; then evaluator/referee.py reads its output as data. */
  z.strictObject({
    kind: z.literal('program'),
    /** Run with inputs and outputs folder; from the submission or evaluator/player/. */
    script: relativeFile.refine((path) => path.endsWith('.py'), 'must be a Python file (*.py)'),
    /** Required files in the outputs folder; others are ignored. */
    outputs: z.array(relativeFile).min(1),
    outputMb: megabytes.max(1024).default(16),
    /** For the program. */
    timeoutSeconds: seconds.default(300),
    /** For the referee, afterwards. */
    refereeSeconds: seconds.default(60),
    ...player,
    ...referee,
  }),
  /** Harbor's evaluator/tests/test.sh, in a fresh container unless live; see domain/harbor. */
  z.strictObject({
    kind: z.literal('harbor'),
    /**
     * `clean-room`: it gets the working folder; `same-image`: also home and temporary files;
     * `live`: the tests run in the agent's own container, among its processes.
     */
    verification: z.enum(VERIFICATIONS),
    /** Working folder in the task's image. */
    workdir: z
      .string()
      .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._+-]+)+$/, 'an absolute path of plain names, other than /'),
    /** The tests write ctrf.json: without it they have not run. */
    ctrf: z.boolean().default(false),
    /** The tests import or start the agent's code, which can therefore end or pass them. */
    inProcess: z.boolean().default(false),
    /** Variables of the verifier. */
    env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable'), z.string()).default({}),
    timeoutSeconds: seconds.default(600),
    /** Of its container. */
    memoryMb: megabytes.default(2048),
    ...gpu,
  }),
]);
export type EvaluatorSpec = z.infer<typeof evaluatorSchema>;

/** Its evaluations run in containers of their own, which need the GPUs of the run's lease. */
export const needsGpu = (spec: EvaluatorSpec): boolean =>
  spec.gpu === true && !(spec.kind === 'harbor' && spec.verification === 'live');

/** Limit of one evaluation of one split, seconds. */
export const evaluationSeconds = (spec: EvaluatorSpec): number =>
  spec.timeoutSeconds + (spec.kind === 'program' ? spec.refereeSeconds : 0);
