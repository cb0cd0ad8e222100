import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentConfigSchema } from '../domain/agent/config.js';
import type { AgentConfig } from '../domain/agent/config.js';
import { promptVariables } from '../domain/agent/messages.js';
import { renderTemplate } from '../domain/agent/templates.js';
import { BenchError } from '../domain/errors.js';
import { taskSchema } from '../domain/task.js';
import { suggestion } from './closest.js';
import { ConfigError } from './config-error.js';
import type { ConfigProblem } from './config-error.js';
import { yamlNames } from './config-names.js';
import { readYaml } from './yaml-file.js';

export interface LoadedAgent {
  name: string;
  config: AgentConfig;
  /** SHA-256 over the checked configuration, hex: comments and order of keys do not change it. */
  hash: string;
}

/** The least that a template can be, where any agent does. */
export const sampleAgent: AgentConfig = agentConfigSchema.parse({
  schema: 1,
  description: 'sample',
  systemTemplate: 'sample',
  taskTemplate: 'sample',
  nextStepTemplate: 'sample',
  formatErrorTemplate: 'sample',
});

const sampleTask = taskSchema.parse({
  schema: 1,
  id: 'sample',
  name: 'Sample',
  contract: 1,
  domain: 'sample',
  description: 'sample',
  metrics: { score: { direction: 'maximize', description: 'sample', unit: 'points', bounds: { min: 0, max: 1 } } },
  primary: 'score',
  baseline: { value: 0.5, standardError: 0 },
  submission: { files: ['sample.py'] },
  evaluator: { kind: 'game', module: 'sample', function: 'sample' },
});

/** Render every template once with sample values, so that a misspelt variable is found before any run. */
function templateProblems(
  agent: AgentConfig,
  problem: (path: PropertyKey[], message: string) => ConfigProblem,
): ConfigProblem[] {
  const base = promptVariables({ task: sampleTask, agent, maxSteps: 50 }, '/workspace');
  const user = { ...base, currentStep: 1, remainingSteps: 49, workingDir: '/workspace' };
  const samples: [keyof AgentConfig & `${string}Template`, Record<string, unknown>][] = [
    ['systemTemplate', base],
    ['taskTemplate', user],
    ['nextStepTemplate', { ...user, observation: 'output', exitCode: 0 }],
    ['nextStepTemplate', { ...user, observation: '', exitCode: 1 }],
    ['formatErrorTemplate', { problem: 'what was wrong' }],
  ];
  const problems = new Map<string, ConfigProblem>();
  for (const [key, variables] of samples) {
    try {
      renderTemplate(key, agent[key], variables);
    } catch (error) {
      const names = Object.keys(variables).sort().join(', ');
      problems.set(key, problem([key], `${(error as Error).message}; variables here: ${names}`));
    }
  }
  return [...problems.values()];
}

/** JSON with sorted keys: equal configurations give equal text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

/** Load and check one agent file. Throws a ConfigError with all its problems. */
export function loadAgentFile(file: string, name: string): LoadedAgent {
  const { value: config, problem } = readYaml(file, agentConfigSchema);
  const problems = templateProblems(config, problem);
  if (problems.length > 0) throw new ConfigError(problems);
  return { name, config, hash: createHash('sha256').update(canonical(config)).digest('hex') };
}

/** Load `configs/agents/<name>.yaml`. An unknown name is a usage error that lists what exists. */
export function loadAgent(configsDir: string, name: string): LoadedAgent {
  const folder = join(configsDir, 'agents');
  const names = yamlNames(folder);
  if (!names.includes(name)) {
    throw new BenchError('usage', `there is no agent ${JSON.stringify(name)} under ${folder}`, {
      remedy: suggestion(name, names),
    });
  }
  const file = join(folder, `${name}.yaml`);
  return loadAgentFile(existsSync(file) ? file : join(folder, `${name}.yml`), name);
}

/** Every agent of the configuration, sorted by name. Throws for the first broken one. */
export function listAgents(configsDir: string): LoadedAgent[] {
  return yamlNames(join(configsDir, 'agents')).map((name) => loadAgent(configsDir, name));
}
