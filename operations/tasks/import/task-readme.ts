import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { TaskPlan } from './plan-task.js';

export function taskReadme(plan: TaskPlan, folder: string): string {
  const { task, kind, entry, submission, secrets, requirements, imports, data, own, generated } = plan;
  const hash = createHash('sha256').update(readFileSync(task.file)).digest('hex').slice(0, 12);
  const taken = [...submission.files, ...submission.folders.map((name) => `${name}/`), ...submission.optional];
  const given = [...plan.starter.keys()].filter((path) => !submission.files.includes(path));
  const facts: string[] = [
    `Handed in: ${list(taken)} (${submission.why}).`,
    `Scored by MLGym's ${entry}, unmodified, on copies that no agent has touched (${list(given)}), without a network.`,
    ...(kind === 'program'
      ? [
          `**Shared process.** By MLGym's contract ${entry} imports the submitted code. That code can read the evaluator, its opponents and its data while it is scored, replace their functions, or print a score of its own: scores of this task can be forged by the agent's code.${own === null ? '' : ` bench's own task ${own.spec.id} keeps them apart.`}`,
        ]
      : ['No submitted code runs while it is scored.']),
    ...(secrets.length === 0
      ? []
      : [
          `Not in the agent's workspace, other than in MLGym: ${list(secrets)}.${generated ? ' Agents get other instances, for practice.' : ''}`,
        ]),
    ...(generated
      ? [
          'The instances are not published. prepare.py makes as many of the same sizes: 3 to 10 variables, 2 to 11 clauses for each, 300 formulas of each kind, with three distinct variables in a clause. Scores on them are near those on the originals, but not the same.',
        ]
      : []),
    ...(data.missing.length > 0 && !generated
      ? [`Its data are not here: ${list(data.missing.map(({ data_path }) => data_path))}.`]
      : []),
    `Packages of agent and evaluator: ${requirements.name}. MLGym names no versions.${imports.packages.length > 0 ? ` The evaluator imports ${list(imports.packages)}.` : ''}`,
    `Where a program names /home/agent/workspace, the scored copy has the path of the evaluator's workspace in its place.`,
    `What ${entry} prints to stdout is its result; MLGym also reads stderr, so that a warning voids the evaluation there.`,
    `Python's randomness${imports.packages.length > 0 ? ', and that of packages known here,' : ''} is seeded for each evaluation; MLGym seeds nothing. The same seed and files give the same score, unless it is a time.`,
    "The baseline is the one that MLGym's config states.",
    ...plan.notes.map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
  ];
  return `# ${folder}\n\nMade by \`bench tasks import mlgym\` from MLGym's \`configs/tasks/${basename(task.file)}\` (SHA-256 ${hash}…). Its description, starter and evaluator are MLGym's, under its licence.\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n`;
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || 'nothing';
