import type { AgentConfig } from './config.js';

/**
 * A step of its own kind: the model summarises its older steps, and prompts show the summary in
 * their place. Its action does nothing as a command, so views, exports and replays know no other
 * kind of step.
 */

const ACTION = /^# summary of the steps up to (\d+)$/;

export const summaryAction = (through: number): string => `# summary of the steps up to ${through}`;

/** The last step that a recorded action has summarised; null: it is a command. */
export function summarisedThrough(agent: AgentConfig, action: string | null): number | null {
  if (agent.compactAt === undefined || action === null) return null;
  const through = ACTION.exec(action)?.[1];
  return through === undefined ? null : Number(through);
}

/** Of the window: what stays as it is. At least the newest step does. */
export const KEPT_PART = 0.2;

export const SUMMARY_REQUEST = `The steps above are about to be removed from your context. Write what you need of them to continue:
- the task's state: which files there are, what they do, what you changed and why;
- each approach that you tried, with its score or its error;
- jobs that are running, with their numbers, and what you wait for;
- what you learned about the data and the environment, with exact names, paths and values;
- what you do next.
Answer with this text only. Call no tool.`;

export const summaryMessage = (through: number, text: string): string =>
  `# Your summary of the steps 1 to ${through}\nThose steps were removed from your context. This is what you wrote of them:\n\n${text}`;
