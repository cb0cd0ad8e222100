/** `run` takes a command; the others are commands themselves. */
export const TOOLS = [
  {
    name: 'run',
    description: 'Run one bash command',
    input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
  { name: 'validate', description: 'Score the submission as it is now', input_schema: noInput() },
  { name: 'submit', description: 'Score the submission and end the episode', input_schema: noInput() },
  { name: 'wait', description: 'Wait for a command that still runs', input_schema: noInput() },
  { name: 'interrupt', description: 'Stop a command that still runs', input_schema: noInput() },
] as const;

function noInput() {
  return { type: 'object', properties: {} } as const;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
