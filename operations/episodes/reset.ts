import { buildMessages } from '../../domain/agent/messages.js';
import { PromptHistory } from '../../domain/agent/prompt-history.js';
import { BenchError } from '../../domain/errors.js';
import { forkOf } from '../../domain/fork.js';
import { CONTAINER_WORKSPACE } from '../../domain/limits.js';
import type { EpisodeRow, NewEpisode } from '../../domain/ports/episodes.js';
import { resetRequest, type ResetRequest } from '../../domain/requests/episode.js';
import { rewardRequest } from '../../domain/requests/reward.js';
import type { RunDefinition } from '../../domain/run.js';
import type { Bench } from '../bench.js';
import type { Environment } from './environment.js';
import { requireBaselines } from './require-baselines.js';
import { withRoomFor } from './room.js';

/** An episode that has begun: its first observation, which nobody has acted upon. */
export interface BegunEpisode {
  episode: EpisodeRow;
  task: string;
  seed: number;
  /** What the policy is shown first. */
  message: string;
  maxSteps: number;
  /** How often `validate` is still scored; null: as often as it is asked for. */
  validationsLeft: number | null;
}

/** An episode as its protocol asks for it. */
export interface AskedReset {
  input: unknown;
  /** Makes a repeated call the same. */
  runId: string;
  /** Hash of the client's session key; null: it has none. */
  session: string | null;
}

/**
 * Begins an episode: a row, and its first observation, which comes from the task's record. No sandbox is started for it yet; see `wantEpisode`.
 * The id of an episode that is there already returns that one.
 * @throws BenchError (usage) that names a wrong key; (not_found) for a task, split or episode that is not there;
 * (conflict, `episodes.at_capacity`) when as many are open as may be.
 */
export async function resetEpisode(env: Environment, protocol: string, asked: AskedReset): Promise<BegunEpisode> {
  const [begun] = await resetEpisodes(env, protocol, [asked]);
  if (begun === undefined) throw new Error('no episode was requested');
  return begun;
}

/** Begins several, and none while there is no room for all that are not there yet. Throws as one reset does. */
export async function resetEpisodes(
  env: Environment,
  protocol: string,
  asked: readonly AskedReset[],
): Promise<BegunEpisode[]> {
  const began = performance.now();
  const { episodes } = await env.bench.database();
  // Before there is room: what is wrong with a request is said at once.
  const found = await Promise.all(asked.map((one) => knownOrNew(env, protocol, one)));
  const begin = async (one: (typeof found)[number]): Promise<BegunEpisode> => {
    if ('known' in one) return beginning(env.bench, one.known);
    const { row } = await episodes.create({ ...one, resetMs: performance.now() - began }, env.harnessVersion);
    return beginning(env.bench, row, row.runId === one.run.runId ? one.run : undefined);
  };
  const runIds = found.flatMap((one) => ('known' in one ? [] : [one.run.runId]));
  return withRoomFor(env, runIds, async () => {
    // All have their place until each of them is written, or has failed.
    const ends = await Promise.allSettled(found.map(begin));
    return ends.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  });
}

async function knownOrNew(
  env: Environment,
  protocol: string,
  { input, runId, session }: AskedReset,
): Promise<{ known: EpisodeRow } | Omit<NewEpisode, 'resetMs'>> {
  const request = resetRequest(input);
  const { episodes } = await env.bench.database();
  const episodeId = request.episode_id ?? runId;
  const known = await episodes.find(episodeId);
  if (known !== null) return { known };
  const run = {
    ...(request.fork_of === undefined ? await freshRun(env, request) : await forked(env, request, request.fork_of)),
    runId,
  };
  const reward = request.reward === undefined ? env.options.reward : rewardRequest(request.reward);
  await requireBaselines(env.bench, [run], reward);
  return {
    run,
    ...{ protocol, session, episodeId },
    reset: request,
    reward,
    idleSeconds: Math.ceil(request.idle_s ?? env.options.idleSeconds),
    deadlineAt: request.deadline_s === undefined ? null : new Date(Date.now() + request.deadline_s * 1000),
  };
}

/** The first observation that this reset would begin with; nothing is stored. Throws BenchError as a reset does. */
export async function preview(env: Environment, input: unknown, runId: string): Promise<string> {
  const request = resetRequest(input);
  rewardRequest(request.reward);
  const run = { ...(await freshRun(env, request)), runId };
  return messageOf(buildMessages(run, [], workspaceOf(env.bench, run)));
}

const messageOf = (messages: readonly { content: string }[]): string =>
  messages.map(({ content }) => content.trimEnd()).join('\n\n');

/** The first observation of an episode, from the record alone: the same however often it is asked for. */
export async function beginning(bench: Bench, episode: EpisodeRow, known?: RunDefinition): Promise<BegunEpisode> {
  const { store } = await bench.database();
  const run = known ?? (await store.definition(episode.runId));
  const history = new PromptHistory(run, workspaceOf(bench, run));
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
    validationsLeft: await left(bench, run),
  };
}

async function left(bench: Bench, { runId, maxValidations, forkedFrom }: RunDefinition): Promise<number | null> {
  if (maxValidations == null) return null;
  if (forkedFrom === undefined) return maxValidations;
  const { store } = await bench.database();
  return Math.max(0, maxValidations - (await store.validationsBefore(runId, forkedFrom.step + 1)));
}

/** A run of the task that is asked for. */
export async function freshRun(
  env: Environment,
  request: Pick<ResetRequest, 'task' | 'split' | 'index' | 'agent' | 'max_steps' | 'max_validations' | 'seed'>,
): Promise<RunDefinition> {
  const template = await env.template(taskOf(env, request), { agent: request.agent, maxSteps: request.max_steps });
  const ofServer = template.task.splits.length === 1 ? env.options.maxValidations : null;
  const maxValidations = request.max_validations ?? ofServer;
  return { ...template, maxValidations, batchId: env.batchId, seed: request.seed ?? randomSeed() };
}

async function forked(env: Environment, request: ResetRequest, origin: string): Promise<RunDefinition> {
  const { episodes, store } = await env.bench.database();
  const from = await episodes.find(origin);
  if (from === null) throw new BenchError('not_found', `no episode ${origin} to fork`);
  const run = await store.definition(from.runId);
  const template = await env.template(run.task.id);
  return {
    ...forkOf(run, {
      // A rollout's branches are played by whoever asks for them.
      model: { ref: template.model, sampling: template.sampling },
      batchId: env.batchId,
      atStep: request.at_step ?? 1,
      maxSteps: request.max_steps ?? run.maxSteps,
    }),
    ...(request.seed !== undefined && { seed: request.seed }),
    ...(request.max_validations !== undefined && { maxValidations: request.max_validations }),
  };
}

function taskOf(env: Environment, { task, split, index }: Pick<ResetRequest, 'task' | 'split' | 'index'>): string {
  if (task !== undefined) return task;
  const [only] = env.tasks;
  if (split === undefined && env.tasks.length === 1 && only !== undefined) return only;
  if (split === undefined || index === undefined)
    throw new BenchError('usage', 'no task is named', { remedy: `Set task to one of ${env.tasks.join(', ')}.` });
  return taskAt(env, split, index);
}

/** The task at a position of a split. Throws BenchError (not_found, `split.not_found`), or (usage) for a position beyond it. */
export function taskAt(env: Environment, split: string, index: number): string {
  const listed = env.split(split);
  const found = listed[index];
  if (found === undefined)
    throw new BenchError('usage', `index ${index}: split ${split} has ${listed.length} tasks, from 0`, {
      remedy: `Set it to at most ${listed.length - 1}.`,
    });
  return found;
}

const randomSeed = (): number => Math.floor(Math.random() * 2 ** 31);

/** As the agent will see it. */
const workspaceOf = ({ settings }: Bench, run: RunDefinition): string =>
  run.backend === 'local' ? settings.layout.run(run.runId, 1).workspace : CONTAINER_WORKSPACE;
