import { z } from 'zod';

/** `configs/agents/<name>.yaml`. Templates are nunjucks; an unknown variable is an error. */
export const agentConfigSchema = z.strictObject({
  schema: z.literal(1),
  description: z.string().min(1),
  /** First message, role system. Variables: task.*, commandSeconds, maxSteps, workspace. */
  systemTemplate: z.string().min(1),
  /** First user message. Variables as above, and currentStep, remainingSteps, workingDir. */
  taskTemplate: z.string().min(1),
  /** Later user messages. Variables as above, and observation (may be blank), exitCode. */
  nextStepTemplate: z.string().min(1),
  /** Sent after a reply that could not be parsed. Variables: problem (what was wrong). */
  formatErrorTemplate: z.string().min(1),
  /** `fenced`: a thought and exactly one fenced code block, which is the command. */
  outputParser: z.enum(['fenced']).default('fenced'),
  /** Longest observation shown to the model, characters; head and tail are kept, the middle is counted. */
  observationLimit: z.number().int().min(1000).default(30_000),
});
export type AgentConfig = z.infer<typeof agentConfigSchema>;
