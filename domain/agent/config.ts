import { z } from 'zod';
import { BASH_TOOL, DEFAULT_COMMANDS, DOCUMENTATION_STYLES } from './commands.js';
import { DIALECTS } from './dialect.js';
import { demonstrationSchema } from './demonstrations.js';
import { HISTORY_PROCESSOR_ALIASES, HISTORY_PROCESSORS, REQUIRED_ARGUMENT } from './history/process-history.js';
import { callsTools, OUTPUT_PARSER_ALIASES, OUTPUT_PARSERS } from './parse-reply.js';
import { searchSchema } from '../tree/spec.js';
import { mcpServersSchema } from './mcp.js';
import { programSchema } from './program.js';

/** Fixed names; SWE-agent's and MLGym's class names are aliases. */
function named<const Names extends readonly [string, ...string[]]>(
  names: Names,
  aliases: Readonly<Record<string, Names[number]>>,
) {
  const canonical = (value: unknown): unknown =>
    typeof value === 'string' && Object.hasOwn(aliases, value) ? aliases[value] : value;
  return z.preprocess(canonical, z.enum(names));
}

const commandName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'letters, digits, - and _ only, 64 at most, not beginning with a digit')
  .refine((name) => name !== BASH_TOOL, 'bash is always there and not a special command');

/** In an agent file or a file of commands. */
const commandSchema = z.strictObject({
  name: commandName,
  /** Nunjucks template: workspace, maxSteps, commandSeconds, task.*, gpus and `variables`. */
  docstring: z.string().min(1),
  /** `open "<path>" [<line>]`; default: from name and arguments. */
  signature: z.string().min(1).optional(),
  /** Last line of a multiline command; the lines before it are the command's input. */
  endName: z.string().min(1).optional(),
  arguments: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'letters, digits and _ only'),
        type: z.string().min(1).default('string'),
        description: z.string().min(1),
        required: z.boolean().default(true),
      }),
    )
    .default([]),
});

/** Built-in template variables, not available to `variables`. */
const RESERVED_VARIABLES: readonly string[] = [
  'task',
  'workspace',
  'maxSteps',
  'commandSeconds',
  'gpus',
  'commandDocs',
  'currentStep',
  'remainingSteps',
  'workingDir',
  'observation',
  'exitCode',
  'timedOut',
  'demonstration',
  'openFile',
  'gpuNames',
  'gpuMemory',
  'memoryRecords',
  'maxValidations',
  'timeLeft',
  'moneyLeft',
  'problem',
  'expectedFormat',
  'command',
  'action',
];

/** Need a terminal, or have no use here. Matched as the first word of any simple command. */
export const DEFAULT_BLOCKLIST = ['vim', 'vi', 'emacs', 'nano', 'nohup', 'git'];
/** Wait for input when called without any. Not `exit`: the shell survives it. */
export const DEFAULT_BLOCKLIST_STANDALONE = [
  'python',
  'python3',
  'ipython',
  'bash',
  'sh',
  '/bin/bash',
  '/bin/sh',
  'su',
];

/** Set by the sandbox and the shell. */
const OWN_ENVIRONMENT = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'PWD',
  'OLDPWD',
  'IFS',
  'BASH_ENV',
  'ENV',
]);

/** Exported to every command; also template variables. */
const environmentSchema = z.record(
  z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]{0,63}$/, 'capital letters, digits and _ only, 64 at most')
    .refine(
      (name) => !OWN_ENVIRONMENT.has(name) && !/^(?:LD|BASH|BENCH|CUDA)_/.test(name),
      'the sandbox sets it itself',
    ),
  z.union([z.string().regex(/^[^\0]*$/, 'no NUL'), z.number()]).transform(String),
);

const toolsShape = {
  /** Servers of the Model Context Protocol in the sandbox, by name; absent: none. */
  mcp: mcpServersSchema.optional(),
  documentation: named(DOCUMENTATION_STYLES, { ParseCommandBash: 'compact', ParseCommandDetailed: 'detailed' }).default(
    'compact',
  ),
  environment: environmentSchema.default({}),
  /** Wording of commands and evaluations, and the linter of edits; default: `bench`. */
  dialect: z.enum(DIALECTS).optional(),
};

const blockedWords = z.array(z.string().regex(/^\S+$/, 'one word each'));

const shape = {
  schema: z.literal(1),
  description: z.string().min(1),

  /** First message, role system. */
  systemTemplate: z.string().min(1),
  /** First user message. */
  taskTemplate: z.string().min(1),
  /** Appended to the first user message. */
  strategyTemplate: z.string().min(1).optional(),
  /** Later user messages; default: the task's template. */
  nextStepTemplate: z.string().min(1).optional(),
  /** After a command without output; default: the template of the next step. */
  nextStepNoOutputTemplate: z.string().min(1).optional(),
  /** After an unreadable reply. Variables: problem, expectedFormat. */
  formatErrorTemplate: z.string().min(1).default('Nothing was run: {{ problem }}.\n{{ expectedFormat }}'),
  /** For all templates. */
  variables: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'letters, digits and _ only')
        .refine((name) => !RESERVED_VARIABLES.includes(name), 'templates have a variable of this name already'),
      z.union([z.string(), z.number(), z.boolean()]),
    )
    .default({}),

  /** Variable: demonstration. */
  demonstrationTemplate: z.string().min(1).optional(),
  /** Show demonstrations as separate messages instead of one text. */
  putDemosInHistory: z.boolean().default(false),

  outputParser: named(OUTPUT_PARSERS, OUTPUT_PARSER_ALIASES).default('fenced'),
  historyProcessor: named(HISTORY_PROCESSORS, HISTORY_PROCESSOR_ALIASES).default('default'),
  historyProcessorArgs: z
    .strictObject({
      n: z.number().int().positive().optional(),
      block: z.number().int().positive().optional(),
      tokens: z.number().int().positive().optional(),
    })
    .prefault({}),
  /** Characters of an observation shown to the model; the middle is cut. */
  observationLimit: z.number().int().min(1000).default(30_000),

  /**
   * Part of the model's context window at which it summarises its older steps, which takes a step;
   * absent: a full window ends the run.
   */
  compactAt: z.number().gt(0.2).lt(1).optional(),

  /** Refused as the first word of a simple command. */
  blocklist: blockedWords.default(DEFAULT_BLOCKLIST),
  /** Refused without arguments or input. */
  blocklistStandalone: blockedWords.default(DEFAULT_BLOCKLIST_STANDALONE),
  /** After a refused command. Variables: problem, command, action. */
  blocklistErrorTemplate: z.string().min(1).default('Nothing was run: {{ problem }}.'),

  /** Plays a tree of forks instead of one line. */
  search: searchSchema.optional(),
};

type Checked = z.infer<z.ZodObject<typeof shape>> & {
  demonstrations: readonly unknown[];
  tools: {
    environment: Record<string, string>;
    commands?: readonly { name: string }[] | undefined;
    mcp?: object | undefined;
  };
};

/** Rules across keys. */
function checkTogether(agent: Checked, context: z.RefinementCtx<unknown>): void {
  const problem = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  const needed = REQUIRED_ARGUMENT[agent.historyProcessor];
  for (const key of ['n', 'tokens'] as const) {
    const given = agent.historyProcessorArgs[key] !== undefined;
    if (needed === key && !given) problem(['historyProcessorArgs', key], `${agent.historyProcessor} needs ${key}`);
    if (needed !== key && given) problem(['historyProcessorArgs', key], `${agent.historyProcessor} takes no ${key}`);
  }
  if (agent.historyProcessorArgs.block !== undefined && needed !== 'n')
    problem(['historyProcessorArgs', 'block'], `${agent.historyProcessor} takes no block`);
  if (agent.demonstrations.length > 0 && !agent.putDemosInHistory && agent.demonstrationTemplate === undefined) {
    problem(['demonstrations'], 'demonstrations need a demonstrationTemplate, or putDemosInHistory: true');
  }
  for (const name of Object.keys(agent.variables).filter((name) => Object.hasOwn(agent.tools.environment, name))) {
    problem(['variables', name], 'the same name is in tools.environment, which templates have too');
  }
  if (agent.tools.mcp !== undefined && !callsTools(agent.outputParser))
    problem(['tools', 'mcp'], 'MCP servers need native tool calls: outputParser tool-calls or several-tool-calls');
  twice(agent.tools.commands ?? [], (index, name) =>
    problem(['tools', 'commands', index, 'name'], `${name} is there twice`),
  );
}

function twice(commands: readonly { name: string }[], tell: (index: number, name: string) => void): void {
  const names = commands.map(({ name }) => name);
  for (const [index, name] of names.entries()) if (names.indexOf(name) < index) tell(index, name);
}

/** As stored with a run, including demonstrations and all commands. */
export const agentConfigSchema = z
  .strictObject({
    ...shape,
    /** Plays instead of our loop; uses the task's template only. */
    program: programSchema.optional(),
    demonstrations: z.array(demonstrationSchema).default([]),
    tools: z.strictObject({ ...toolsShape, commands: z.array(commandSchema).default(DEFAULT_COMMANDS) }).prefault({}),
  })
  .superRefine(checkTogether);
export type AgentConfig = z.infer<typeof agentConfigSchema>;

/** `configs/agents/<name>.yaml`. Nunjucks templates; an unknown variable is an error. */
export const agentFileSchema = z
  .strictObject({
    ...shape,
    /** `.traj` files, relative to the agent's file. */
    demonstrations: z.array(z.string().min(1)).default([]),
    tools: z
      .strictObject({
        ...toolsShape,
        /** Relative to the agent's file; documented in this order. */
        commandFiles: z.array(z.string().min(1)).default([]),
        /** Documented after those of the files. Default with neither: the two of every sandbox. */
        commands: z.array(commandSchema).optional(),
      })
      .prefault({}),
  })
  .superRefine(checkTogether);

/** `configs/agents/<name>.yaml` with `kind: program`: plays by itself, models via the gateway. */
export const programFileSchema = z.strictObject({
  schema: z.literal(1),
  kind: z.literal('program'),
  description: z.string().min(1),
  ...programSchema.shape,
  environment: environmentSchema.default({}),
  /** Its task: the variable BENCH_PROMPT of its command. */
  taskTemplate: shape.taskTemplate,
  variables: shape.variables,
  /** Refused in its own words: a fork cannot contain a process's state. */
  search: z
    .unknown()
    .refine((value) => value === undefined, 'a program plays by itself: it has no steps that forks could continue from')
    .optional(),
});

/** `configs/commands/<name>.yaml`: commands that several agents share. */
export const commandFileSchema = z
  .strictObject({ schema: z.literal(1), description: z.string().min(1), commands: z.array(commandSchema).min(1) })
  .superRefine(({ commands }, context) =>
    twice(commands, (index, name) =>
      context.addIssue({ code: 'custom', path: ['commands', index, 'name'], message: `${name} is there twice` }),
    ),
  );
