import type { TaskBaseline } from './profile.js';

/** The starter's score in task.yaml; null: none. */
export function statedBaseline(task: {
  baseline?: TaskBaseline | undefined;
}): { value: number; standardError: number } | null {
  const { value, standardError } = task.baseline ?? {};
  return value === undefined || standardError === undefined ? null : { value, standardError };
}
