import { buildMessages } from '../../domain/agent/messages.js';
import { PromptHistory } from '../../domain/agent/prompt-history.js';
import { CONTAINER_WORKSPACE } from '../../domain/run/limits.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import type { EvaluationLog } from '../../domain/ports/record/evaluations.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import type { StepLog } from '../../domain/ports/record/steps.js';
import { resetRequest } from '../../domain/requests/episode.js';
import { rewardRequest } from '../../domain/requests/reward.js';
import type { RunDefinition } from '../../domain/run/run.js';
import type { BenchSettings } from '../settings.js';
import type { Environment } from './environment.js';
import { freshRun } from './fresh-run.js';

export interface BegunEpisode {
  episode: EpisodeRow;
  task: string;
  seed: number;
  /** The policy's first message. */
  message: string;
  maxSteps: number;
  /** How many `validate` commands are still scored; null: no limit. */
  validationsLeft: number | null;
}

export interface LayoutPorts {
  settings: Pick<BenchSettings, 'layout'>;
}

export interface BeginningPorts extends LayoutPorts {
  store: Pick<RunDefinitions, 'definition'> & Pick<StepLog, 'shownSteps'> & Pick<EvaluationLog, 'validationsBefore'>;
}

/** The first observation that this reset would return. Stores nothing. Throws as a reset. */
export async function preview(ports: LayoutPorts, env: Environment, input: unknown, runId: string): Promise<string> {
  const request = resetRequest(input);
  rewardRequest(request.reward);
  const run = { ...(await freshRun(env, request)), runId };
  return messageOf(buildMessages(run, [], workspaceOf(ports, run)));
}

/** The first observation of an episode, from the record alone: every call returns the same. */
export async function beginning(
  ports: BeginningPorts,
  episode: EpisodeRow,
  known?: RunDefinition,
): Promise<BegunEpisode> {
  const { store } = ports;
  const run = known ?? (await store.definition(episode.runId));
  const history = new PromptHistory(run, workspaceOf(ports, run));
  const copied = { after: 0, through: run.forkedFrom?.step ?? 0 };
  for await (const steps of store.shownSteps(run.runId, copied)) history.add(steps);
  const messages = history.prompt();
  const shown = history.through === 0 ? messages : messages.slice(-1);
  return {
    episode,
    task: run.task.id,
    seed: run.seed,
    message: messageOf(shown),
    maxSteps: run.maxSteps,
    validationsLeft: await validationsLeft(ports, run),
  };
}

async function validationsLeft(
  { store }: BeginningPorts,
  { runId, maxValidations, forkedFrom }: RunDefinition,
): Promise<number | null> {
  if (maxValidations == null) return null;
  if (forkedFrom === undefined) return maxValidations;
  return Math.max(0, maxValidations - (await store.validationsBefore(runId, forkedFrom.step + 1)));
}

const messageOf = (messages: readonly { content: string }[]): string =>
  messages.map(({ content }) => content.trimEnd()).join('\n\n');

/** The path as the agent sees it. */
const workspaceOf = ({ settings }: LayoutPorts, run: RunDefinition): string =>
  run.backend === 'local' ? settings.layout.run(run.runId, 1).workspace : CONTAINER_WORKSPACE;
