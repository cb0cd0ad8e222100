import { z } from 'zod';
import { KEPT_LIMITS } from '../requests/run-options.js';
import { providerTroubleSchema } from './provider-trouble.js';
import { outcomeSchema } from './run-page.js';
import { integrityFlagSchema, runDetailSchema } from './runs.js';
import {
  countSchema,
  endReasonSchema,
  runIdSchema,
  runStatusSchema,
  scoreSchema,
  timeSchema,
  usdSchema,
} from './values.js';

const ms = z.number().nonnegative();
const since = timeSchema.nullable().describe('null: not recorded');

/** Why a run does not move, each reason with what would end it. */
const waitingReasonSchema = z
  .discriminatedUnion('kind', [
    z
      .strictObject({
        kind: z.literal('paused'),
        since,
        pauseReason: z.string().nullable().describe('null: a person paused it'),
      })
      .describe('its batch is'),
    z
      .strictObject({ kind: z.literal('concurrency'), since, ahead: countSchema, concurrency: countSchema })
      .describe('as many runs of its batch are in flight as may be; so many are before it'),
    z
      .strictObject({
        kind: z.literal('gpu'),
        since,
        gpus: countSchema.describe('that it asks for'),
        ahead: countSchema,
        holders: z.array(
          z.strictObject({ hostId: z.string(), device: z.string(), runId: runIdSchema, since: timeSchema }),
        ),
        hosts: z.array(z.strictObject({ hostId: z.string(), gpus: countSchema, free: countSchema })),
      })
      .describe('it asks for more than any host has: `hosts` shows it'),
    z.strictObject({
      kind: z.literal('host'),
      since,
      hosts: z.array(z.strictObject({ hostId: z.string(), state: z.string(), reason: z.string() })),
    }),
    z.strictObject({
      kind: z.literal('rate_limit'),
      since,
      account: z.string(),
      ahead: countSchema.describe('calls before its turn'),
      blockedUntil: timeSchema.nullable(),
    }),
    z.strictObject({ kind: z.literal('provider'), since, trouble: providerTroubleSchema }),
    z.strictObject({ kind: z.literal('budget'), since, budgetUsd: usdSchema, chargedUsd: usdSchema }),
    z
      .strictObject({ kind: z.literal('player'), since, step: countSchema, provider: z.string() })
      .describe('a person or a program'),
  ])
  .meta({ id: 'WaitingReason' });
export type WaitingReason = z.infer<typeof waitingReasonSchema>;

export const waitingSchema = z.strictObject({
  runId: runIdSchema,
  status: runStatusSchema,
  waiting: z.array(waitingReasonSchema).describe('empty: nothing keeps it'),
});
export type Waiting = z.infer<typeof waitingSchema>;

const relatedRunSchema = z.strictObject({
  runId: runIdSchema,
  model: z.string(),
  status: runStatusSchema,
  endReason: endReasonSchema.nullable(),
  bestScore: scoreSchema,
  step: countSchema.nullable().describe('at which one continues the other; null: it repeats it'),
});

export const lineageSchema = z.strictObject({
  runId: runIdSchema,
  replaces: relatedRunSchema.nullable(),
  replacedBy: relatedRunSchema.nullable(),
  forkedFrom: relatedRunSchema.nullable(),
  forks: z.array(relatedRunSchema),
});
export type Lineage = z.infer<typeof lineageSchema>;

/** The top of a run's page. */
export const runHeadSchema = z.strictObject({
  run: runDetailSchema.describe('as `bench show` has it'),
  batchName: z.string().nullable(),
  outcome: outcomeSchema,
  taskName: z.string(),
  bestOfTask: z
    .strictObject({ runId: runIdSchema, model: z.string(), score: z.number() })
    .nullable()
    .describe('among runs of the same contract, suspect values omitted; null: none has a score'),
  time: z
    .strictObject({ modelMs: ms, commandMs: ms, evaluationMs: ms, otherMs: ms.nullable() })
    .describe('where its time went; `otherMs`: waiting, starting, and what is between; null: not started'),
  integrity: z.array(integrityFlagSchema),
  lineage: lineageSchema,
  tree: z
    .strictObject({ runId: runIdSchema, node: countSchema.nullable().describe("null: it is the tree's attempt") })
    .nullable()
    .describe('of forks, that it plays or is a node of'),
  waiting: z.array(waitingReasonSchema),
});
export type RunHead = z.infer<typeof runHeadSchema>;

const modelCallSchema = z
  .strictObject({
    step: countSchema,
    try: countSchema.describe('of the step: more than one after replies that could not be used'),
    attempt: countSchema.describe('of the question'),
    status: z.enum(['reserved', 'confirmed', 'unconfirmed', 'failed']),
    provider: z.string(),
    model: z.string(),
    endpoint: z.string().nullable(),
    requestHash: z.string(),
    requestMessages: countSchema,
    finishReason: z.string().nullable(),
    inputTokens: countSchema.nullable(),
    outputTokens: countSchema.nullable(),
    cachedTokens: countSchema.nullable(),
    reasoningTokens: countSchema.nullable(),
    costUsd: usdSchema.nullable(),
    reservedUsd: usdSchema,
    usageProblem: z.string().nullable(),
    ms: ms.nullable(),
    waitedMs: ms.nullable().describe('from the question to its being sent: for a grant'),
    error: z.string().nullable(),
    errorDetail: z.string().nullable(),
    retryAt: timeSchema.nullable(),
    at: timeSchema,
  })
  .meta({ id: 'ModelCall' });

export const modelCallsSchema = z.strictObject({
  calls: z.array(modelCallSchema),
  next: z.string().nullable(),
  sums: z
    .strictObject({
      calls: countSchema,
      costUsd: usdSchema.describe('of answered calls'),
      runCostUsd: usdSchema.describe("the run's own figure; of a tree without its nodes'"),
    })
    .describe('of all its calls'),
});
export type ModelCalls = z.infer<typeof modelCallsSchema>;

const keptLimits = Object.fromEntries(KEPT_LIMITS.map((key) => [key, countSchema])) as Record<
  (typeof KEPT_LIMITS)[number],
  typeof countSchema
>;

/** What a run was given. */
export const runSetupSchema = z.strictObject({
  runId: runIdSchema,
  task: z.strictObject({
    id: z.string(),
    name: z.string(),
    contract: countSchema,
    hash: z.string(),
    spec: z.looseObject({}).describe('as it was submitted'),
  }),
  agent: z.strictObject({ name: z.string(), hash: z.string(), config: z.looseObject({}) }),
  model: z.strictObject({
    name: z.string(),
    kind: z.string(),
    provider: z.string(),
    providerModel: z.string(),
    configHash: z.string().nullable(),
    config: z.looseObject({}).nullable().describe('with its prices; null: scripted, human and replayed ones have none'),
    recordingHash: z.string().nullable(),
  }),
  sampling: runDetailSchema.shape.sampling,
  limits: z.strictObject({
    ...keptLimits,
    wallSeconds: z.number(),
    costLimitUsd: usdSchema.nullable(),
    gpus: countSchema,
  }),
  seed: z.int(),
  attempt: countSchema,
  sample: z.boolean(),
  memory: z.boolean(),
  imageDigest: z.string().nullable(),
  evaluatorImageDigest: z.string().nullable(),
  harnessVersion: z.string(),
  firstPrompt: z
    .array(z.strictObject({ role: z.string(), content: z.string() }))
    .nullable()
    .describe('what the agent read before its first step; null: it cannot be rebuilt'),
  sameSetup: z
    .array(runIdSchema)
    .describe('other runs of this task, model, agent, sampling and limits, newest first, at most 100'),
});
export type RunSetup = z.infer<typeof runSetupSchema>;

const takenSubmissionSchema = z.strictObject({
  step: countSchema,
  kind: z.enum(['validate', 'submit', 'forced', 'baseline']),
  sha256: z.string().nullable().describe('of its list of files; null: there was none'),
  missing: z.array(z.string()).nullable(),
  refused: z.string().nullable(),
  at: timeSchema,
  score: scoreSchema,
  files: z
    .array(z.strictObject({ path: z.string(), sha256: z.string() }))
    .nullable()
    .describe('null: none, pruned, or in a store that this machine does not see'),
});

export const runFilesSchema = z.strictObject({
  runId: runIdSchema,
  submissions: z.array(takenSubmissionSchema),
  snapshots: z.array(
    z.strictObject({
      step: countSchema,
      sha256: z.string().nullable().describe('of its archive; null: none is made yet'),
      bytes: countSchema.nullable(),
      host: z.string().nullable().describe('name of the host that has it as a disk; null: none has'),
      at: timeSchema,
    }),
  ),
});
export type RunFiles = z.infer<typeof runFilesSchema>;

export const snapshotLinkSchema = z.strictObject({
  url: z.string().describe('fetches the archive without a login, until `until`; relative: of this server'),
  until: timeSchema,
  fileName: z.string(),
  sha256: z.string().describe('of the archive, a .tar.gz'),
  bytes: countSchema,
});
export type SnapshotLink = z.infer<typeof snapshotLinkSchema>;
