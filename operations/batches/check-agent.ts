import { encodeReplyAs } from '../../domain/agent/encode-reply-as.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model.js';
import { parseScriptedPolicy, SCRIPTED_WITHOUT_SHELL } from '../../domain/scripted-policies.js';
import type { TaskFolder } from '../../domain/task.js';
import type { LoadedAgent } from '../../catalog/index.js';

/** Before anything is started: scripted models need an agent whose output parser can hold a shell command. */
export function checkAgent(
  agent: LoadedAgent,
  models: readonly ModelRef[],
  tasks: readonly Pick<TaskFolder, 'spec'>[] = [],
): void {
  const { outputParser, tools } = agent.config;
  const shell = encodeReplyAs(outputParser, { thought: '', action: 'ls -la' }, { commands: tools.commands });
  if (shell !== null) return;
  const baselineCommand = tasks.some(({ spec }) => spec.baseline?.command !== undefined);
  const needsShell = ({ provider, model }: ModelRef): boolean => {
    const policy = provider === 'scripted' ? parseScriptedPolicy(model)?.policy : undefined;
    return policy !== undefined && (baselineCommand || !SCRIPTED_WITHOUT_SHELL.includes(policy));
  };
  const stuck = models.find(needsShell);
  if (stuck === undefined) return;
  throw new BenchError(
    'usage',
    `${stuck.name} runs shell commands, but agent ${agent.name} accepts only its special commands (outputParser: ${outputParser})`,
    {
      code: 'agent.unfit',
      remedy: 'Choose an agent with another outputParser, or another model; `bench agents` lists agents.',
    },
  );
}
