import { z } from 'zod';
import { TREE_STOPS } from '../tree/budget.js';
import { NODE_STATUSES, OPERATORS } from '../tree/tree.js';
import {
  countSchema,
  directionSchema,
  endReasonSchema,
  runIdSchema,
  runStatusSchema,
  scoreSchema,
  usdSchema,
} from './values.js';

const treeNodeSchema = z
  .strictObject({
    node: countSchema.describe('from 0, in the order in which nodes were opened'),
    runId: runIdSchema.describe('a run like any other: `bench trajectory` shows it'),
    wave: countSchema.describe('from 1; nodes of a wave are played at once'),
    operator: z.enum(OPERATORS),
    parent: countSchema.nullable().describe('the node that it continues'),
    secondParent: countSchema.nullable().describe('of a crossover; of an ensemble, the best of the others'),
    status: z
      .enum(NODE_STATUSES)
      .describe("`failed`: nothing to score, or its parent's submission again; `lost`: nothing to continue from"),
    score: scoreSchema.describe('on validation'),
    steps: countSchema.describe("its own, without its parent's"),
    runStatus: runStatusSchema,
    endReason: endReasonSchema.nullable(),
    reservedUsd: usdSchema.nullable().describe('that it may use at most; null: no limit'),
    spentUsd: usdSchema.nullable().describe('null: it is open'),
    spentTokens: countSchema.nullable(),
    spentSeconds: z.number().nullable(),
  })
  .meta({ id: 'TreeNode' });
export type TreeNodeDocument = z.infer<typeof treeNodeSchema>;

export const treeSchema = z
  .strictObject({
    runId: runIdSchema,
    policy: z.string().describe('as the agent names it; trees of earlier versions have others'),
    primary: z.string(),
    direction: directionSchema,
    status: runStatusSchema,
    stopped: z.enum(TREE_STOPS).nullable().describe('why it opens no more nodes; null: it continues'),
    selectedNode: countSchema.nullable().describe("the node whose result is the tree's: the best on validation"),
    finalScore: scoreSchema.describe('of that one, tested once'),
    limits: z
      .strictObject({
        nodes: countSchema,
        validations: countSchema,
        costUsd: usdSchema.nullable(),
        tokens: countSchema,
        seconds: countSchema,
      })
      .describe('`costUsd` null, `tokens` and `seconds` 0: no limit'),
    charged: z
      .strictObject({
        nodes: countSchema,
        validations: countSchema,
        costUsd: usdSchema,
        tokens: countSchema,
        seconds: z.number(),
      })
      .describe('what settled nodes used, and what open ones may use at most'),
    nodes: z.array(treeNodeSchema),
  })
  .meta({ id: 'Tree' });
export type TreeDocument = z.infer<typeof treeSchema>;
