import type { TaskPlan } from './plan-task.js';

/** Fills in the description as MLGym does: Python's format, one placeholder for datasets. */
function filledDescription({ task, datasets }: Pick<TaskPlan, 'task' | 'datasets'>): string {
  const docs = datasets.map(({ name, description }) => `${name.toUpperCase()}:\n${description}\n\n`).join('');
  return task.config.description.replaceAll(/\{dataset_docs\}|\{\{|\}\}/g, (found) =>
    found === '{dataset_docs}' ? docs : found.charAt(0),
  );
}

/** MLGym's words unchanged, then the differences here. */
export function taskPrompt(plan: TaskPlan): string {
  const { submission, kind, entry, starter, secrets } = plan;
  const description = filledDescription(plan).trim();
  const raw = /\{\{|\{%|\{#/.test(description) ? `{% raw %}${description}{% endraw %}` : description;
  const taken = [...submission.files, ...submission.folders.map((name) => `${name}/`), ...submission.optional];
  const copies = [...starter.keys()].filter((path) => !submission.files.includes(path) && path.endsWith('.py'));
  const sentences = [
    `Of your workspace only ${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} taken by \`validate\` and \`submit\`, and scored elsewhere.`,
    kind === 'program'
      ? `There ${entry} runs beside ${taken.length === 1 ? 'it' : 'them'}, with untouched copies of all other files: what you change in ${copies.join(', ')} changes no score.`
      : `An untouched copy of ${entry} scores ${taken.length === 1 ? 'it' : 'them'}; what you change in yours changes no score.`,
    ...(secrets.length === 0
      ? []
      : plan.generated
        ? ['data/dataset.pkl in your workspace holds other instances of the same kind, for practice.']
        : [`Your workspace lacks ${secrets.join(', ')}, so ${entry} may not run there; use \`validate\`.`]),
    'There is no network. A command may take {{ commandSeconds }} seconds.',
  ];
  return `${raw}\n\nWHAT IS DIFFERENT HERE:\n${sentences.join(' ')}\n`;
}
