import { z } from 'zod';
import { MODEL_KINDS } from '../model/model.js';
import { INTEGRITY_RULES } from '../run/integrity-rules.js';
import { BACKENDS, ORIGINS } from '../run/run.js';
import { END_REASONS, RUN_STATUSES } from '../run/outcomes.js';

// Pages, counts and searches use the same filter.

/** Any of these; `''`: runs without a value. */
const words = () => z.array(z.string().max(500)).max(200).optional();
const oneOf = <const Words extends readonly [string, ...string[]]>(of: Words) => z.array(z.enum(of)).max(50).optional();
const OUTCOMES = ['complete', 'incomplete', 'failed', ''] as const;
const atLeast = () => z.number().optional();
const time = () => z.iso.datetime({ offset: true }).optional();

/** See `readSought`. */
export const searchTextSchema = z
  .string()
  .min(1)
  .max(500)
  .describe(
    'a text, letter case of A-Z aside; "in quotes": exactly; /pattern/: a regular expression of PostgreSQL, /i: without letter case',
  );

export const runFilterSchema = z.strictObject({
  model: words(),
  task: words(),
  batch: words().describe('ids or names'),
  agent: words(),
  host: words().describe("'': no host yet"),
  profile: words().describe("'': the task's own budget"),
  status: oneOf(RUN_STATUSES),
  endReason: oneOf([...END_REASONS, '']).describe("'': not ended"),
  outcome: oneOf(OUTCOMES).describe("'': not ended, or not recorded"),
  flag: oneOf([...INTEGRITY_RULES, '']).describe("'': without a flag"),
  isolation: oneOf(['container', 'none', '']).describe("'': no sandbox yet"),
  backend: oneOf(BACKENDS),
  kind: oneOf(MODEL_KINDS),
  origin: oneOf(ORIGINS),
  sample: oneOf(['true', 'false']).describe('on sample data'),
  text: z
    .string()
    .max(200)
    .optional()
    .describe('in a name, an id, the detail, a note or a tag; letter case does not count'),
  run: z.array(z.string().max(100)).max(200_000).optional().describe('ids'),
  contains: searchTextSchema.optional().meta({ description: 'a thought, an action or an observation has this' }),
  scoreMin: atLeast().describe('best score'),
  scoreMax: atLeast(),
  stepsMin: atLeast(),
  stepsMax: atLeast(),
  costMin: atLeast().describe('US dollars'),
  costMax: atLeast(),
  tokensMin: atLeast().describe('input and output'),
  tokensMax: atLeast(),
  durationMin: atLeast().describe('seconds from its start to its end'),
  durationMax: atLeast(),
  since: time().describe('created then or later'),
  until: time().describe('created before'),
});
export type RunSelection = z.output<typeof runFilterSchema>;

export const RUN_FACETS = [
  'model',
  'task',
  'batch',
  'agent',
  'host',
  'profile',
  'status',
  'endReason',
  'outcome',
  'flag',
  'isolation',
  'backend',
  'kind',
  'origin',
  'sample',
] as const satisfies readonly (keyof RunSelection)[];
export type RunFacet = (typeof RUN_FACETS)[number];

/** `-` prefix: largest first. Runs without a value are always last. */
export const RUN_ORDERS = [
  'createdAt',
  'startedAt',
  'endedAt',
  'updatedAt',
  'model',
  'task',
  'status',
  'attempt',
  'steps',
  'cost',
  'tokens',
  'duration',
  'bestScore',
  'finalScore',
] as const;
export type RunOrder = (typeof RUN_ORDERS)[number];

const runOrderSchema = z.enum(RUN_ORDERS.flatMap((order) => [order, `-${order}`] as const));

export const runPageRequestSchema = runFilterSchema.extend({
  sort: runOrderSchema.default('-createdAt'),
  after: z.string().max(1000).optional().describe('`next` of the page before'),
  limit: z.int().min(1).max(1000).default(100),
});
export type RunPageRequest = z.output<typeof runPageRequestSchema>;
