import { type GroupRequest, samplingOf } from '../../domain/requests/run-options.js';
import { BenchError } from '../../domain/errors.js';
import { MAX_RUNS } from '../../domain/run/limits.js';
import { loadAgent, type LoadedAgent, resolveModels, underProfile } from '../../catalog/index.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';
import { namedTasks } from '../tasks/named-tasks.js';
import { brokenTask, type SkippedTask, tasksWithData } from './available-tasks.js';
import { firstAttempts } from './plan-runs.js';
import type { LoadedGroup } from './batch-plan.js';
import { checkAgent, checkMcpServers } from './check-agent.js';
import { checkModels, type CheckModelsPorts } from './check-models.js';
import { checkTree } from './check-tree.js';
import { checkOracles, checkRecordings } from './check-players.js';

/** Memory is useless unless the agent's prompts mention it. */
function requireMemoryCommands({ name, config }: LoadedAgent): void {
  const known = config.tools.commands.map((command) => command.name);
  const missing = ['memory_read', 'memory_write'].filter((command) => !known.includes(command));
  if (missing.length === 0) return;
  throw new BenchError(
    'usage',
    `memory is requested, but the prompts of agent ${name} do not document ${missing.join(' and ')}`,
    {
      code: 'agent.unsuitable',
      remedy: 'Choose an agent that documents them, or add commands/memory.yaml to its tools.commandFiles.',
      fields: { agent: 'default-memory' },
    },
  );
}

export interface LoadPorts extends CheckModelsPorts {
  settings: CheckModelsPorts['settings'] & Pick<BenchSettings, 'configFolders'>;
  notify: (notice: Notice) => void;
}

/** Throws every error of the groups that needs neither an engine nor a database. */
export function loadGroups(
  ports: LoadPorts,
  groups: readonly GroupRequest[],
  { needKeys }: { needKeys: boolean },
): LoadedGroup[] {
  const { settings } = ports;
  const loaded = groups.map((group) => {
    const modelRefs = resolveModels(settings.configFolders, group.models, { allowUnpriced: group.allowUnpriced });
    const { sample } = group;
    const broken: SkippedTask[] = [];
    const named = namedTasks(
      {
        settings,
        notify: (notice) => {
          if (notice.code === 'config.broken' && notice.file.kind === 'task') broken.push(brokenTask(notice.file));
          ports.notify(notice);
        },
      },
      { ids: group.tasks },
    );
    const selected = underProfile(named, { profile: group.profile, sample });
    const { taskFolders, skipped } = tasksWithData(ports, selected, {
      ...{ sample, skip: group.skipUnavailable, named: group.tasks },
    });
    const loadedAgent = loadAgent(settings.configFolders, group.agent);
    if (group.memory) requireMemoryCommands(loadedAgent);
    checkAgent(loadedAgent, modelRefs, taskFolders);
    checkMcpServers(loadedAgent, taskFolders);
    checkTree(loadedAgent, modelRefs, taskFolders, group);
    checkOracles(modelRefs, taskFolders);
    checkRecordings(loadedAgent, modelRefs);
    return { ...group, modelRefs, taskFolders, loadedAgent, skipped: [...broken, ...skipped] };
  });
  refuseTooMany(loaded);
  refuseRepeated(loaded);
  for (const group of loaded) checkModels(ports, group.modelRefs, samplingOf(group), { needKeys });
  return loaded;
}

function refuseTooMany(groups: readonly LoadedGroup[]): void {
  const count = groups.reduce(
    (sum, one) => sum + one.modelRefs.length * one.taskFolders.length * firstAttempts(one),
    0,
  );
  if (count > MAX_RUNS)
    throw new BenchError('usage', `this would be ${count} runs; a batch takes at most ${MAX_RUNS}`, {
      code: 'batch.too_large',
      remedy: 'Lower the attempts, or submit several batches.',
      fields: { attempts: true },
    });
}

function refuseRepeated(groups: readonly LoadedGroup[]): void {
  const seen = new Map<string, number>();
  for (const [nth, { modelRefs, taskFolders }] of groups.entries())
    for (const model of modelRefs)
      for (const task of taskFolders) {
        const pair = `${model.name} on ${task.spec.id}`;
        const other = seen.get(pair);
        if (other !== undefined && other !== nth)
          throw new BenchError('usage', `groups ${other + 1} and ${nth + 1} both have ${pair}`, {
            code: 'batch.duplicate_run',
            remedy: 'Keep it in one of them; to compare variants of the same pair, submit separate batches.',
          });
        seen.set(pair, nth);
      }
}
