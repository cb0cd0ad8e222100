import type { AgentConfig } from '../domain/agent/config.js';
import { ownVariables, promptVariables, statusVariables } from '../domain/agent/messages.js';
import { renderTemplate } from '../domain/agent/templates.js';
import { templateVariables } from '../domain/agent/template-variables.js';
import { taskSchema } from '../domain/task/task.js';
import { closest } from '../domain/text/closest.js';
import { knownKeys } from './schema-keys.js';
import type { ProblemAt } from './yaml-file.js';
import type { ConfigProblem } from '../domain/views/catalog.js';

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

interface Sample {
  path: PropertyKey[];
  /** Index of the command whose text this is, perhaps from another file. */
  command?: number;
  template: string;
  /** Rendered with each of these. */
  variables: Record<string, unknown>[];
}

function samplesOf(agent: AgentConfig): Sample[] {
  const commands = agent.tools.commands;
  // Texts of commands are rendered on their own below: one of them may be broken.
  const base = promptVariables(
    { task: sampleTask, agent: { ...agent, tools: { ...agent.tools, commands: [] } }, maxSteps: 50 },
    '/workspace',
  );
  const { commandDocs: _, ...forCommands } = base;
  const at = { ...base, currentStep: 1, remainingSteps: 49, ...statusVariables(null, '/workspace') };
  const first = { ...at, observation: '', exitCode: 'none', timedOut: false };
  const later = { ...at, observation: 'output', exitCode: 0, timedOut: false };
  const silent = { ...at, observation: '', exitCode: 1, timedOut: true };
  const own = ownVariables(agent);
  const samples: [PropertyKey[], string | undefined, Record<string, unknown>[]][] = [
    [['systemTemplate'], agent.systemTemplate, [base]],
    [['taskTemplate'], agent.taskTemplate, agent.nextStepTemplate === undefined ? [first, later, silent] : [first]],
    [['strategyTemplate'], agent.strategyTemplate, [first]],
    [['nextStepTemplate'], agent.nextStepTemplate, [later, silent]],
    [['nextStepNoOutputTemplate'], agent.nextStepNoOutputTemplate, [silent]],
    [['demonstrationTemplate'], agent.demonstrationTemplate, [{ ...base, demonstration: 'a run' }]],
    [
      ['formatErrorTemplate'],
      agent.formatErrorTemplate,
      [{ ...own, problem: 'what was wrong', expectedFormat: 'what is expected' }],
    ],
    [
      ['blocklistErrorTemplate'],
      agent.blocklistErrorTemplate,
      [{ ...own, problem: 'what was wrong', command: 'vim', action: 'vim a.py' }],
    ],
  ];
  return [
    ...samples.flatMap(([path, template, variables]) =>
      template === undefined ? [] : [{ path, template, variables }],
    ),
    ...commands.map(({ docstring: template }, command) => {
      const path = ['tools', 'commands', command, 'docstring'];
      return { path, command, template, variables: [forCommands] };
    }),
  ];
}

function misuse(use: readonly string[], variables: Record<string, unknown>): string | null {
  const [name = ''] = use;
  const names = Object.keys(variables).sort();
  if (!Object.hasOwn(variables, name)) {
    const near = closest(name, names);
    return `unknown variable ${name}; ${near === null ? '' : `did you mean ${near}? `}variables here: ${names.join(', ')}`;
  }
  if (name !== 'task') return null;
  for (let length = 1; length < use.length; length += 1) {
    const keys = knownKeys(taskSchema, use.slice(1, length));
    const key = use[length] ?? '';
    if (keys.length === 0 || keys.includes(key)) continue;
    const near = closest(key, keys);
    const hint = near === null ? `keys here: ${keys.join(', ')}` : `did you mean ${near}?`;
    return `unknown variable ${use.slice(0, length + 1).join('.')}; ${hint}`;
  }
  return null;
}

/** Variables of every branch, with lines. Null if the template has a syntax error. */
function unknownVariables({ path, template, variables }: Sample, problem: ProblemAt): ConfigProblem[] | null {
  try {
    return templateVariables(template).flatMap((use) => {
      const wrong = misuse(use.path, variables[0] ?? {});
      return wrong === null ? [] : [problem(path, wrong, use.line)];
    });
  } catch {
    return null;
  }
}

/** Finds syntax errors, unknown filters and errors that depend on values. */
function renderProblem({ path, template, variables }: Sample, problem: ProblemAt): ConfigProblem[] {
  for (const values of variables) {
    try {
      renderTemplate(path.map(String).join('.'), template, values);
    } catch (error) {
      const { message } = error as Error;
      const line = /\[Line (\d+)/.exec(message)?.[1];
      const names = Object.keys(values).sort().join(', ');
      return [problem(path, `${message}; variables here: ${names}`, line === undefined ? 1 : Number(line))];
    }
  }
  return [];
}

/** `docstring`: reports problems in a command's text, by index. */
export function agentTemplateProblems(
  agent: AgentConfig,
  problem: ProblemAt,
  docstring: (index: number) => ProblemAt,
): ConfigProblem[] {
  return samplesOf(agent).flatMap((sample) => {
    const tell = sample.command === undefined ? problem : docstring(sample.command);
    const unknown = unknownVariables(sample, tell);
    return unknown === null || unknown.length === 0 ? renderProblem(sample, tell) : unknown;
  });
}
