import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { z } from 'zod';
import { DEFAULT_COMMANDS } from '../domain/agent/commands.js';
import { agentConfigSchema, agentFileSchema, commandFileSchema, programFileSchema } from '../domain/agent/config.js';
import type { AgentConfig } from '../domain/agent/config.js';
import { readDemonstration } from '../domain/agent/demonstrations.js';
import type { Demonstration } from '../domain/agent/demonstrations.js';
import { BenchError } from '../domain/errors.js';
import { agentTemplateProblems } from './agent-templates.js';
import { suggestion } from '../domain/text/closest.js';
import { ConfigError } from './config-error.js';
import { type ConfigEntry, configEntries, type ConfigFolders } from './config-entries.js';
import { loadEach, loadEntry } from './load-entry.js';
import { readYaml, yamlContent } from './yaml-file.js';
import type { ProblemAt } from './yaml-file.js';
import type { ConfigProblem, ValidatedFile } from '../domain/views/catalog.js';

export interface LoadedAgent {
  name: string;
  config: AgentConfig;
  /** SHA-256 over the checked configuration, hex; comments and key order do not matter. */
  hash: string;
}

/** A minimal agent, where any will do. */
export const sampleAgent: AgentConfig = agentConfigSchema.parse({
  schema: 1,
  description: 'sample',
  systemTemplate: 'sample',
  taskTemplate: 'sample',
  nextStepTemplate: 'sample',
  formatErrorTemplate: 'sample',
});

/** Finds a file that an agent names: relative to the agent, else at that place in lower folders. */
type Locate = (source: string) => string;

function locator(file: string, folders: ConfigFolders): Locate {
  const folder = dirname(dirname(file));
  const below = folders.slice(folders.indexOf(folder) + 1);
  return (source) => {
    const own = join(dirname(file), source);
    const place = relative(folder, own);
    if (existsSync(own) || !folders.includes(folder) || place.startsWith('..')) return own;
    return below.map((lower) => join(lower, place)).find((path) => existsSync(path)) ?? own;
  };
}

/** So that a stored agent needs no file. */
function readDemonstrations(
  locate: Locate,
  agent: z.output<typeof agentFileSchema>,
  problem: ProblemAt,
  problems: ConfigProblem[],
): Demonstration[] {
  return agent.demonstrations.flatMap((source, index) => {
    try {
      return [readDemonstration(readFileSync(locate(source), 'utf8'), source)];
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const message = code === undefined ? (error as Error).message : `cannot be read (${code})`;
      problems.push(
        problem(
          ['demonstrations', index],
          `${source} ${message}; give the path of a .traj file, relative to this file`,
        ),
      );
      return [];
    }
  });
}

interface PlacedCommand {
  command: AgentConfig['tools']['commands'][number];
  problem: (key: string, message: string, lineOfText?: number) => ConfigProblem;
}

/** In the order of their documentation: command files first, then the agent's own. */
function placeCommands(
  file: string,
  locate: Locate,
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
      if (earlier !== undefined) problems.push(place('name', `${command.name} is already in ${earlier}; keep one`));
      else origin.set(command.name, from);
      placed.push({ command, problem: place });
    }
  };
  for (const [index, source] of tools.commandFiles.entries()) {
    try {
      const { value, problem: tell } = readYaml(locate(source), commandFileSchema);
      add(value.commands, ['commands'], tell, source);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const absent = error.problems.every(({ line, key }) => line === null && key === '');
      // A missing file is reported at the agent, mistakes within it at that file.
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

/** Sorted keys: equal configurations give equal text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

/** A file that cannot be parsed is reported where it is read as an ordinary agent. */
function isProgram(file: string): boolean {
  const content = yamlContent(file);
  return content !== null && typeof content === 'object' && 'kind' in content && content.kind === 'program';
}

function loadProgramFile(file: string, name: string): LoadedAgent {
  const { value, problem } = readYaml(file, programFileSchema);
  const { schema, kind: _, description, environment, taskTemplate, variables, ...program } = value;
  const config = agentConfigSchema.parse({
    ...{ schema, description, taskTemplate, variables, program, tools: { environment } },
    systemTemplate: '(the program writes its own)',
  });
  const problems = agentTemplateProblems(config, problem, () => problem);
  if (problems.length > 0) throw new ConfigError(problems);
  return { name, config, hash: createHash('sha256').update(canonical(config)).digest('hex') };
}

/** Files that it names may lie in lower `folders`. Throws a ConfigError with all problems. */
export function loadAgentFile(file: string, name: string, folders: ConfigFolders = []): LoadedAgent {
  if (isProgram(file)) return loadProgramFile(file, name);
  const { value, problem } = readYaml(file, agentFileSchema);
  const problems: ConfigProblem[] = [];
  const locate = locator(file, folders);
  const demonstrations = readDemonstrations(locate, value, problem, problems);
  const placed = placeCommands(file, locate, value, problem, problems);
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

/** An unknown name is a usage error that lists what exists. */
export function loadAgent(folders: ConfigFolders, name: string): LoadedAgent {
  const entries = configEntries(folders, 'agents');
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) {
    const places = folders.map((folder) => join(folder, 'agents')).join(' or ');
    throw new BenchError('usage', `there is no agent ${JSON.stringify(name)} under ${places}`, {
      code: 'agent.not_found',
      remedy: suggestion(
        name,
        entries.map((one) => one.name),
      ),
    });
  }
  return loadEntry(entry, (file) => loadAgentFile(file, name, folders));
}

/** Sorted by name, with the broken files. */
export function listAgents(folders: ConfigFolders): {
  agents: (LoadedAgent & { entry: ConfigEntry })[];
  broken: ValidatedFile[];
} {
  const { loaded, broken } = loadEach(configEntries(folders, 'agents'), 'agent', (entry) => ({
    ...loadAgentFile(entry.file, entry.name, folders),
    entry,
  }));
  return { agents: loaded, broken };
}
