import { z } from 'zod';
import { VERIFICATIONS } from '../harbor/verification.js';
import { relativeFile } from '../text/relative-file.js';

const seconds = z.number().int().positive();
const megabytes = z.number().int().positive();
const pythonName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a Python name');

const referee = {
  /** Address space of the referee; libraries for arrays need more than the default. */
  refereeMemoryMb: megabytes.default(512),
};
const player = {
  /** Address space of each of the player's processes. */
  memoryMb: megabytes.default(1024),
};

const interactive = {
  /** Module that the player process imports, of the submission or of evaluator/player/; and the function that it calls. */
  module: pythonName,
  function: pythonName,
  /** For the whole evaluation. */
  timeoutSeconds: seconds.default(300),
  ...player,
  ...referee,
};

/** How submissions are scored: docs/concepts/evaluation.md. Time limits are per split. */
export const evaluatorSchema = z.discriminatedUnion('kind', [
  /** evaluator/referee.py plays games against the submitted function over a pipe; each runs in a process of its own. */
  z.strictObject({ kind: z.literal('game'), ...interactive }),
  /** In the same way, it asks the submitted function anything: plain values, bytes, many numbers. */
  z.strictObject({ kind: z.literal('questions'), ...interactive }),
  /** evaluator/referee.py reads the submitted files as data. No submitted code runs. */
  z.strictObject({
    kind: z.literal('data'),
    /** For the whole evaluation. */
    timeoutSeconds: seconds.default(300),
    ...referee,
  }),
  /** The submission's program runs first, away from the secrets; then evaluator/referee.py reads what it wrote, as data. */
  z.strictObject({
    kind: z.literal('program'),
    /** Run as `python <script> <inputs folder> <outputs folder>`; a file of the submission, or of evaluator/player/. */
    script: relativeFile.refine((path) => path.endsWith('.py'), 'must be a Python file (*.py)'),
    /** Files that it must write into the outputs folder; everything else there is ignored. */
    outputs: z.array(relativeFile).min(1),
    /** Size of the outputs folder. */
    outputMb: megabytes.max(1024).default(16),
    /** For the program. */
    timeoutSeconds: seconds.default(300),
    /** For the referee, afterwards. */
    refereeSeconds: seconds.default(60),
    ...player,
    ...referee,
  }),
  /** evaluator/tests/test.sh, as Harbor has it, in a fresh container of the task's verifier image, unless live; see domain/harbor. */
  z.strictObject({
    kind: z.literal('harbor'),
    /**
     * `clean-room`: it gets the working folder; `same-image`: the agent's home and temporary files, too; `live`: the tests run in the
     * agent's own container, among its processes.
     */
    verification: z.enum(VERIFICATIONS),
    /** Where the task's image has the working folder. */
    workdir: z
      .string()
      .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._+-]+)+$/, 'an absolute path of plain names, other than /'),
    /** The tests write ctrf.json: without it they have not run. */
    ctrf: z.boolean().default(false),
    /** The tests import what the agent wrote, or start where it lies, so that it can end or pass them. */
    inProcess: z.boolean().default(false),
    /** Variables of the verifier. */
    env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable'), z.string()).default({}),
    timeoutSeconds: seconds.default(600),
    /** Of its container. */
    memoryMb: megabytes.default(2048),
  }),
]);
export type EvaluatorSpec = z.infer<typeof evaluatorSchema>;

/** Longest that one evaluation of one split takes by its own limits, seconds. */
export const evaluationSeconds = (spec: EvaluatorSpec): number =>
  spec.timeoutSeconds + (spec.kind === 'program' ? spec.refereeSeconds : 0);
