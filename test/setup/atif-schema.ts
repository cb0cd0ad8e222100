import { z } from 'zod';

/** ATIF v1.7 like Harbor's models: refuses unknown keys and those of other sources. */
const extra = z.record(z.string(), z.unknown()).optional();
const tokens = z.int().nonnegative();
const metrics = z.strictObject({
  ...{ prompt_tokens: tokens.optional(), completion_tokens: tokens.optional(), cached_tokens: tokens.optional() },
  ...{ cost_usd: z.number().nonnegative().optional(), extra },
});
const step = z
  .strictObject({
    step_id: z.int().positive(),
    source: z.enum(['system', 'user', 'agent']),
    message: z.string(),
    timestamp: z.iso.datetime().optional(),
    model_name: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          ...{
            tool_call_id: z.string().min(1),
            function_name: z.string(),
            arguments: z.record(z.string(), z.unknown()),
          },
          extra,
        }),
      )
      .optional(),
    observation: z
      .strictObject({
        results: z.array(
          z.strictObject({ source_call_id: z.string().optional(), content: z.string().nullable(), extra }),
        ),
      })
      .optional(),
    metrics: metrics.optional(),
    is_copied_context: z.boolean().optional(),
    llm_call_count: z.int().nonnegative().optional(),
    extra,
  })
  .superRefine((one, context) => {
    const say = (message: string) => context.addIssue({ code: 'custom', message: `step ${one.step_id}: ${message}` });
    if (one.source !== 'agent' && (one.tool_calls ?? one.metrics) !== undefined) say('only agents call and count');
    if (one.llm_call_count === 0 && one.metrics !== undefined) say('nothing was asked, yet counted');
    const ids = (one.tool_calls ?? []).map(({ tool_call_id: id }) => id);
    if (new Set(ids).size !== ids.length) say('two calls have one id');
    for (const { source_call_id: of } of one.observation?.results ?? [])
      if (of !== undefined && !ids.includes(of)) say(`result of ${of}, which is no call of the step`);
  });

export const atifSchema = z
  .strictObject({
    schema_version: z.literal('ATIF-v1.7'),
    ...{ session_id: z.string(), trajectory_id: z.string() },
    agent: z.strictObject({
      ...{ name: z.string(), version: z.string(), model_name: z.string() },
      tool_definitions: z
        .array(z.strictObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }))
        .optional(),
    }),
    steps: z.array(step).min(1),
    final_metrics: z.strictObject({
      ...{ total_prompt_tokens: tokens, total_completion_tokens: tokens, total_cached_tokens: tokens },
      ...{ total_cost_usd: z.number().nonnegative(), total_steps: tokens, extra },
    }),
    extra,
  })
  .superRefine(({ steps, final_metrics: final }, context) => {
    if (steps.some((one, index) => one.step_id !== index + 1))
      context.addIssue({ code: 'custom', message: 'step ids have gaps' });
    if (final.total_steps !== steps.length) context.addIssue({ code: 'custom', message: 'steps are counted wrongly' });
  });
export type Atif = z.infer<typeof atifSchema>;
