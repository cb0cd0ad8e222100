import { existsSync } from 'node:fs';
import { type Program, PROVIDER_OF_CLIENT } from '../../domain/agent/program.js';
import { mcpHosts } from '../../domain/agent/mcp.js';
import { allowsHost } from '../../domain/task/network.js';
import { encodeReplyAs } from '../../domain/agent/encode-reply-as.js';
import { BenchError } from '../../domain/errors.js';
import type { Backend } from '../../domain/run/run.js';
import type { ModelRef } from '../../domain/model/model.js';
import { parseScriptedPolicy, SCRIPTED_WITHOUT_SHELL } from '../../domain/model/scripted-policies.js';
import type { TaskFolder } from '../../domain/task/task.js';
import type { LoadedAgent } from '../../catalog/index.js';

/** A program calls the run's model itself, over its provider's API. */
function checkProgram(agent: string, { client, install }: Program, models: readonly ModelRef[]): void {
  const providers = PROVIDER_OF_CLIENT[client];
  for (const { name, kind, provider } of models) {
    if (kind === 'real' && providers.includes(provider)) continue;
    const why =
      kind === 'real'
        ? `speaks ${client}, and ${name} is a model of ${provider}`
        : `needs a paid model, and ${name} is ${kind}`;
    throw new BenchError('usage', `agent ${agent} is a program: it ${why}`, {
      code: 'agent.unsuitable',
      remedy: `Choose a model of ${providers.join(' or ')}, or another agent.`,
    });
  }
  if (install.folder === undefined || existsSync(install.folder)) return;
  throw new BenchError('usage', `agent ${agent}: install.folder ${install.folder} does not exist`, {
    code: 'agent.unsuitable',
    remedy: "Put the program there, or correct the agent's file.",
  });
}

/** Only in a container can each run alone reach its own address. */
export function refuseProgramsOnLocal(agents: readonly LoadedAgent[], backend: Backend): void {
  const program = agents.find(({ config }) => config.program !== undefined);
  if (backend !== 'local' || program === undefined) return;
  throw new BenchError('usage', `agent ${program.name} is a program, which runs only in a container`, {
    code: 'agent.unsuitable',
    remedy: 'Submit it for the backend docker or podman.',
  });
}

/** A server over HTTP is reached from the agent's container, as the task's network allows. */
export function checkMcpServers(agent: LoadedAgent, tasks: readonly Pick<TaskFolder, 'spec'>[]): void {
  for (const { server, host, port } of mcpHosts(agent.config.tools.mcp)) {
    const closed = tasks.find(({ spec }) => !allowsHost(spec.network, { host, port }));
    if (closed === undefined) continue;
    throw new BenchError(
      'usage',
      `agent ${agent.name} calls MCP server ${server} at ${host}:${port}, which the network of task ${closed.spec.id} does not allow`,
      {
        code: 'agent.unsuitable',
        remedy: `Allow it in task.yaml (\`network: { allow: ['${host}:${port}'] }\`), choose other tasks, or a server with a command.`,
      },
    );
  }
}

/** Scripted models need an agent whose output parser can express a shell command. */
export function checkAgent(
  agent: LoadedAgent,
  models: readonly ModelRef[],
  tasks: readonly Pick<TaskFolder, 'spec'>[] = [],
): void {
  if (agent.config.program !== undefined) return checkProgram(agent.name, agent.config.program, models);
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
      code: 'agent.unsuitable',
      remedy: 'Choose an agent with another outputParser, or another model; `bench agents` lists agents.',
    },
  );
}
