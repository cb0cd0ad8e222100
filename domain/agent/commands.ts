import type { ToolDefinition } from '../model/model.js';
import { type CommandDoc, signatureOf } from './command-line.js';

export const BASH_TOOL = 'bash';
/** Runs a script in the background (images/agent/tools/agent_tools/jobs.py). */
export const START_JOB = 'start_job';

export const DOCUMENTATION_STYLES = ['compact', 'detailed'] as const;
export type DocumentationStyle = (typeof DOCUMENTATION_STYLES)[number];

/** Every sandbox has these. */
export const DEFAULT_COMMANDS: CommandDoc[] = [
  {
    name: 'validate',
    docstring: 'Score the work as it stands. Costs one step; the score appears with the output.',
    arguments: [],
  },
  { name: 'submit', docstring: 'Score the work as it stands and end the run. This cannot be undone.', arguments: [] },
];

function detailed(command: CommandDoc): string {
  const list = command.arguments.map(
    ({ name, type, required, description }) =>
      `    - ${name} (${type}) [${required ? 'required' : 'optional'}]: ${description}`,
  );
  return [
    `${command.name}:`,
    `  docstring: ${command.docstring}`,
    `  signature: ${signatureOf(command)}`,
    ...(list.length > 0 ? ['  arguments:', ...list] : []),
  ].join('\n');
}

export function commandDocs(commands: readonly CommandDoc[], style: DocumentationStyle): string {
  return style === 'compact'
    ? commands.map((command) => `${signatureOf(command)} - ${command.docstring}`).join('\n')
    : commands.map(detailed).join('\n\n');
}

const JSON_TYPES = new Set(['string', 'integer', 'number', 'boolean']);

export function commandTools(commands: readonly CommandDoc[], commandSeconds: number): ToolDefinition[] {
  return [
    {
      name: BASH_TOOL,
      description: `Run a command in the bash shell and get its output and exit code. Directory, variables and functions stay for the next call. At most ${commandSeconds} seconds; no terminal, no input.`,
      parameters: {
        type: 'object',
        properties: { command: { type: 'string', description: 'The command; may have several lines.' } },
        required: ['command'],
        additionalProperties: false,
      },
    },
    ...commands.map((command) => ({
      name: command.name,
      description: command.docstring,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          command.arguments.map(({ name, type, description }) => [
            name,
            { type: JSON_TYPES.has(type) ? type : 'string', description },
          ]),
        ),
        required: command.arguments.filter(({ required }) => required).map(({ name }) => name),
        additionalProperties: false,
      },
    })),
  ];
}
