import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import { DEFAULT_COMMANDS } from '../domain/agent/commands.js';
import { agentConfigSchema, agentFileSchema, commandFileSchema } from '../domain/agent/config.js';
import type { AgentConfig } from '../domain/agent/config.js';
import { readDemonstration } from '../domain/agent/demonstrations.js';
import type { Demonstration } from '../domain/agent/demonstrations.js';
import { BenchError } from '../domain/errors.js';
import { agentTemplateProblems } from './agent-templates.js';
import { suggestion } from '../domain/closest.js';
import { ConfigError } from './config-error.js';
import { yamlNames } from './config-names.js';
import { readYaml } from './yaml-file.js';
import type { ProblemAt } from './yaml-file.js';
import type { ConfigProblem } from '../domain/views/catalog.js';

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

/** A command of the agent, and how to name a problem with it where it is written. */
interface PlacedCommand {
  command: AgentConfig['tools']['commands'][number];
  problem: (key: string, message: string, lineOfText?: number) => ConfigProblem;
}

/** The agent's commands in the order of their documentation: those of its command files, then its own. */
function placeCommands(
  file: string,
  { tools }: z.output<typeof agentFileSchema>,
  problem: ProblemAt,
  problems: ConfigProblem[],
): PlacedCommand[] {
  const placed: PlacedCommand[] = [];
  const origin = new Map<string, string>();
  const add = (commands: readonly PlacedCommand['command'][], at: PropertyKey[], tell: ProblemAt, from: string) => {
    for (const [index, command] of commands.entries()) {
      const place: PlacedCommand['problem'] = (key, message, line) => tell([...at, index, key], message, line);
      const earlier = origin.get(command.name);
      if (earlier !== undefined) problems.push(place('name', `${command.name} is in ${earlier} already; keep one`));
      else origin.set(command.name, from);
      placed.push({ command, problem: place });
    }
  };
  for (const [index, source] of tools.commandFiles.entries()) {
    try {
      const { value, problem: tell } = readYaml(join(dirname(file), source), commandFileSchema);
      add(value.commands, ['commands'], tell, source);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const absent = error.problems.every(({ line, key }) => line === null && key === '');
      // A file that is not there is the agent's mistake, what is wrong within it is that file's.
      problems.push(
        ...(absent
          ? error.problems.map(({ message }) => problem(['tools', 'commandFiles', index], `${source}: ${message}`))
          : error.problems),
      );
    }
  }
  const own = tools.commands ?? (tools.commandFiles.length === 0 ? DEFAULT_COMMANDS : []);
  add(own, ['tools', 'commands'], problem, basename(file));
  return placed;
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
  const demonstrations = readDemonstrations(file, value, problem, problems);
  const placed = placeCommands(file, value, problem, problems);
  const { commandFiles: _, ...tools } = value.tools;
  const config = { ...value, demonstrations, tools: { ...tools, commands: placed.map(({ command }) => command) } };
  const docstring =
    (index: number): ProblemAt =>
    (_path, message, line) =>
      placed[index]!.problem('docstring', message, line);
  problems.push(...agentTemplateProblems(config, problem, docstring));
  if (problems.length > 0) throw new ConfigError(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  return { name, config, hash: createHash('sha256').update(canonical(config)).digest('hex') };
}

/** Load `configs/agents/<name>.yaml`. An unknown name is a usage error that lists what exists. */
export function loadAgent(configsDir: string, name: string): LoadedAgent {
  const folder = join(configsDir, 'agents');
  const names = yamlNames(folder);
  if (!names.includes(name)) {
    throw new BenchError('usage', `there is no agent ${JSON.stringify(name)} under ${folder}`, {
      code: 'agent.unknown',
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
