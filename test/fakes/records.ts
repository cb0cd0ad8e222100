import { agentConfigSchema, type AgentConfig } from '../../domain/agent/config.js';
import type { RunTicket, StepRecord } from '../../domain/run/run.js';
import { taskSchema, type TaskSpec } from '../../domain/task/task.js';

/** Small valid records; each test sets the fields that matter. */

export const agentConfig = (over: Partial<AgentConfig> = {}): AgentConfig =>
  agentConfigSchema.parse({
    schema: 1,
    description: 'a test agent',
    systemTemplate: 'system',
    taskTemplate: 'task',
    nextStepTemplate: '{{ observation }}',
    formatErrorTemplate: '{{ problem }}',
    ...over,
  });

export const taskSpec = (over: Partial<TaskSpec> = {}): TaskSpec =>
  taskSchema.parse({
    schema: 1,
    id: 'testTask',
    name: 'A test task',
    contract: 1,
    domain: 'test',
    description: 'Do it.',
    metrics: { Score: { direction: 'maximize', description: 'points', bounds: { min: 0, max: 2 } } },
    primary: 'Score',
    baseline: { value: 1, standardError: 0.01 },
    submission: { files: ['strategy.py'] },
    evaluator: { kind: 'game', module: 'strategy', function: 'row_strategy' },
    ...over,
  });

export const stepRecord = (over: Partial<StepRecord> = {}): StepRecord => ({
  step: 1,
  response: 'reply',
  thought: 'thought',
  action: 'ls',
  observation: '',
  exitCode: 0,
  timedOut: false,
  lost: false,
  outputBytes: 0,
  requested: null,
  workingDir: '/ws',
  commandMs: 1,
  modelMs: 1,
  ...over,
});

export const runTicket = (over: Partial<RunTicket> = {}): RunTicket => ({
  runId: 'r-test',
  batchId: 'b-test',
  provider: 'scripted',
  gpus: 0,
  maxSteps: 50,
  commandSeconds: 60,
  evaluationSeconds: 60,
  wallSeconds: 0,
  priority: 3,
  tokenLimit: 0,
  memory: false,
  snapshotEvery: 0,
  copiedSteps: 0,
  hiddenSplit: false,
  backend: 'docker',
  ...over,
});
