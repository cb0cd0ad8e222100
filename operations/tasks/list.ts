import { problemLine } from '../../domain/errors.js';
import { brokenSuites, configEntries, type ConfigEntry, listTasks as tasksOf } from '../../catalog/index.js';
import { statedBaseline } from '../../domain/task/baseline.js';
import type { TaskFolder } from '../../domain/task/task.js';
import type { ListedTask, TasksDocument } from '../../domain/views/catalog.js';
import type { ValidatedFile } from '../../domain/views/validated-file.js';
import { configPlace } from '../catalog/config-place.js';
import type { NamedTasksPorts } from './named-tasks.js';

type PlaceSettings = Parameters<typeof configPlace>[0];
export type ListTasksPorts = NamedTasksPorts & { settings: PlaceSettings };

function listed(settings: PlaceSettings, { task, entry }: { task: TaskFolder; entry: ConfigEntry }): ListedTask {
  const { id, name, domain, contract, metrics, primary, gpus } = task.spec;
  return {
    ...{ id, name, domain, contract, primary, gpus },
    direction: metrics[primary]?.direction ?? null,
    baseline: statedBaseline(task.spec)?.value ?? null,
    contentHash: task.contentHash,
    ...configPlace(settings, entry),
    error: null,
  };
}

function listedBroken(settings: PlaceSettings, entry: ConfigEntry, { problems }: ValidatedFile): ListedTask {
  return {
    ...{ id: entry.name, name: null, domain: null, contract: null, primary: null, direction: null },
    ...{ baseline: null, gpus: null, contentHash: null },
    ...configPlace(settings, entry),
    error: problems.map(problemLine).join('\n'),
  };
}

/** Broken tasks included. Broken files, also of suites, are reported as notices. */
export function listTasks({ settings, notify }: ListTasksPorts): TasksDocument {
  const { tasks, broken } = tasksOf(settings.configFolders);
  const files = [...broken, ...brokenSuites(settings.configFolders)];
  for (const file of files) notify({ code: 'config.broken', file });
  const rows = [
    ...tasks.map((one) => listed(settings, one)),
    ...configEntries(settings.configFolders, 'tasks').flatMap((entry) => {
      const file = broken.find((one) => one.file === entry.file);
      return file === undefined ? [] : [listedBroken(settings, entry, file)];
    }),
  ];
  return { tasks: rows.sort((a, b) => (a.id < b.id ? -1 : 1)), broken: files };
}
