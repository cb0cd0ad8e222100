import { createHash } from 'node:crypto';
import { BenchError } from '../domain/errors.js';
import { DEFAULT_PROFILE, profileMeant, type TaskProfile } from '../domain/task/profile.js';
import type { TaskFolder } from '../domain/task/task.js';
import { suggestion } from '../domain/text/closest.js';

export const hashWithProfile = (folderHash: string, profile: string): string =>
  createHash('sha256').update(`task\0${folderHash}\0profile\0${profile}`).digest('hex');

function withProfile(task: TaskFolder, name: string): TaskFolder {
  const { profiles, ...spec } = task.spec;
  const profile = profiles?.[name];
  if (profile === undefined) throw new Error(`task ${task.spec.id} has no profile ${name}`);
  return {
    ...task,
    spec: { ...spec, ...given(profile), profile: name },
    contentHash: hashWithProfile(task.contentHash, name),
  };
}

/** Without the keys that it leaves to the task. */
const given = (profile: TaskProfile) =>
  Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined)) as {
    [Key in keyof TaskProfile]?: NonNullable<TaskProfile[Key]>;
  };

/** Sample data imply `cpu` by default. Throws BenchError (usage) if no task has the profile. */
export function underProfile(
  tasks: readonly TaskFolder[],
  { profile, sample }: { profile: string | null; sample: boolean },
): TaskFolder[] {
  const name = profileMeant(profile, sample);
  if (name === DEFAULT_PROFILE) return [...tasks];
  const has = ({ spec }: TaskFolder): boolean => Object.hasOwn(spec.profiles ?? {}, name);
  if (profile !== null && !tasks.some(has)) {
    const known = [...new Set(tasks.flatMap(({ spec }) => Object.keys(spec.profiles ?? {})))].sort();
    throw new BenchError('usage', `none of the tasks has a profile ${JSON.stringify(name)}`, {
      code: 'profile.not_found',
      remedy: suggestion(name, [...known, DEFAULT_PROFILE]),
    });
  }
  return tasks.map((task) => (has(task) ? withProfile(task, name) : task));
}
