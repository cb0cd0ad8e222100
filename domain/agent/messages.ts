import type { ChatMessage } from '../model.js';
import type { RunDefinition, StepRecord } from '../run.js';
import { clipObservation } from './clip-observation.js';
import { renderTemplate } from './templates.js';

type PromptInput = Pick<RunDefinition, 'task' | 'agent' | 'maxSteps'>;

/** Variables of every template: task.*, workspace, maxSteps, commandSeconds. */
export function promptVariables(run: PromptInput, workspace: string): Record<string, unknown> {
  const base = { workspace, maxSteps: run.maxSteps, commandSeconds: run.task.limits.commandSeconds };
  const description = renderTemplate('task description', run.task.description, { ...base, task: run.task });
  return { ...base, task: { ...run.task, description } };
}

/**
 * The messages before step `steps.length + 1`: system, task, then a pair per step taken. Rebuilt from the record each time,
 * so that what the model saw never depends on the memory of a process.
 */
export function buildMessages(run: PromptInput, steps: StepRecord[], workspace: string): ChatMessage[] {
  const variables = promptVariables(run, workspace);
  const at = (taken: number) => ({ currentStep: taken + 1, remainingSteps: run.maxSteps - taken });
  const messages: ChatMessage[] = [
    { role: 'system', content: renderTemplate('systemTemplate', run.agent.systemTemplate, variables) },
    {
      role: 'user',
      content: renderTemplate('taskTemplate', run.agent.taskTemplate, {
        ...variables,
        ...at(0),
        workingDir: workspace,
      }),
    },
  ];
  for (const step of steps) {
    messages.push({ role: 'assistant', content: step.response });
    messages.push({
      role: 'user',
      content: renderTemplate('nextStepTemplate', run.agent.nextStepTemplate, {
        ...variables,
        ...at(step.step),
        observation: clipObservation(step.observation ?? '', run.agent.observationLimit),
        exitCode: step.exitCode ?? 'unknown',
        workingDir: step.workingDir ?? workspace,
      }),
    });
  }
  return messages;
}

/** The requery after a reply that could not be parsed: the bad reply and what was wrong with it. */
export function formatErrorMessages(run: PromptInput, badReply: string, problem: string): ChatMessage[] {
  return [
    // Providers refuse an empty assistant message.
    { role: 'assistant', content: badReply === '' ? '(empty reply)' : badReply },
    { role: 'user', content: renderTemplate('formatErrorTemplate', run.agent.formatErrorTemplate, { problem }) },
  ];
}
