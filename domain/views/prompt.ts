import { z } from 'zod';
import { countSchema } from './values.js';

const promptMessageSchema = z
  .strictObject({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string(),
    toolCalls: z
      .array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() }))
      .exactOptional()
      .describe('only of replies that called tools'),
    toolCallId: z.string().exactOptional().describe('of the call that it answers'),
  })
  .meta({ id: 'PromptMessage' });

/** Where a prompt's text is from. */
const PROMPT_SOURCES = ['rendered', 'recorded', 'partial'] as const;
/** How a prompt compares with what was sent. */
const PROMPT_PROOFS = ['equal', 'different', 'none'] as const;

const promptTurnSchema = z
  .strictObject({
    try: countSchema.describe('0: the first question, above: requeries'),
    added: z
      .array(promptMessageSchema)
      .describe('after `messages`: in a requery the reply before and what was wrong with it'),
    reply: z.string().nullable().describe('null: no answer is stored'),
    hash: z.string().describe('SHA-256 over provider, model and messages, as rendered'),
    sent: z.array(z.string()).describe('hashes of what was sent, one per call'),
    proof: z
      .enum(PROMPT_PROOFS)
      .describe('`equal`: every call had this hash; `different`: one had not; `none`: no call is stored'),
  })
  .meta({ id: 'PromptTurn' });
export type PromptTurn = z.infer<typeof promptTurnSchema>;

export const promptDocumentSchema = z
  .strictObject({
    runId: z.string(),
    requestedIn: z.string().describe('the run that asked: of a copied step the one that was forked'),
    step: countSchema,
    source: z
      .enum(PROMPT_SOURCES)
      .describe(
        '`rendered`: again, from the record; `recorded`: as a program sent it, or by MLGym before its history processor; `partial`: its import omitted the status lines',
      ),
    messages: z.array(promptMessageSchema),
    tools: z
      .array(
        z.strictObject({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
      )
      .nullable()
      .describe('null: none were offered'),
    turns: z.array(promptTurnSchema),
  })
  .meta({ id: 'Prompt' });
export type PromptDocument = z.infer<typeof promptDocumentSchema>;

/** As `promptDocumentSchema`, and what is new since the step before. */
export const promptPageSchema = promptDocumentSchema
  .extend({
    sameAsBefore: countSchema
      .nullable()
      .describe('messages at the start that the prompt of the step before has too; null: there is none before'),
    tokens: countSchema.describe('of `messages` and `tools`, an estimate'),
  })
  .meta({ id: 'PromptPage' });
export type PromptPage = z.infer<typeof promptPageSchema>;
