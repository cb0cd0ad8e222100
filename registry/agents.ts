import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { agentConfigSchema, agentFileSchema } from '../domain/agent/config.js';
import type { AgentConfig } from '../domain/agent/config.js';
import { readDemonstration } from '../domain/agent/demonstrations.js';
import type { Demonstration } from '../domain/agent/demonstrations.js';
import { BenchError } from '../domain/errors.js';
import { agentTemplateProblems } from './agent-templates.js';
import { suggestion } from './closest.js';
import { ConfigError } from './config-error.js';
import type { ConfigProblem } from './config-error.js';
import { yamlNames } from './config-names.js';
import { readYaml } from './yaml-file.js';
import type { ProblemAt } from './yaml-file.js';

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

/** Read the demonstrations, so that a stored agent needs no file any more. Paths are relative to the agent's file. */
function readDemonstrations(
  file: string,
  agent: z.output<typeof agentFileSchema>,
  problem: ProblemAt,
  problems: ConfigProblem[],
): Demonstration[] {
  return agent.demonstrations.flatMap((source, index) => {
    try {
      return [readDemonstration(readFileSync(join(dirname(file), source), 'utf8'), source)];
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const message = code === undefined ? (error as Error).message : `cannot be read (${code})`;
      problems.push(problem(['demonstrations', index], `${source} ${message}; name a .traj file beside this one`));
      return [];
    }
  });
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
  const { value, problem } = readYaml(file, agentFileSchema);
  const problems: ConfigProblem[] = [];
  const config = { ...value, demonstrations: readDemonstrations(file, value, problem, problems) };
  problems.push(...agentTemplateProblems(config, problem));
  if (problems.length > 0) throw new ConfigError(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
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
