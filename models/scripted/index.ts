import { BenchError } from '../../domain/errors.js';
import { parserOf } from '../../domain/agent/parse-reply.js';
import type { TaskSpec } from '../../domain/task/task.js';
import { parseScriptedPolicy, playsOracle, type ScriptedPolicy } from '../../domain/model/scripted-policies.js';
import type { FreePlayer, TurnRequest } from '../free-player.js';
import { freeReply } from '../free-reply.js';
import { baseline } from './baseline.js';
import { climber } from './climber.js';
import { clumsy } from './clumsy.js';
import { counter } from './counter.js';
import { gameOf } from './game.js';
import { formOf, replyInForm } from './in-form.js';
import { optimum } from './optimum.js';
import { oracle } from './oracle.js';
import { readOracle, secretSizes } from './read-oracle.js';
import type { Policy } from './policy.js';
import { seeker } from './seeker.js';
import { slow } from './slow.js';
import { spoiler } from './spoiler.js';

const POLICIES: Record<ScriptedPolicy, Policy> = {
  baseline,
  oracle,
  spoiler,
  optimum,
  clumsy,
  slow,
  counter,
  climber,
  seeker,
};

export type TaskFolderOf = (run: { task: TaskSpec; taskHash: string }) => Promise<string>;

/** In the form of the run's agent. `taskFolder`: for policies that read the task's folder. */
export const createScriptedPlayer = (taskFolder?: TaskFolderOf): FreePlayer => ({
  async reply(request) {
    const named = parseScriptedPolicy(request.model.model);
    if (named === null)
      throw new BenchError('usage', `There is no scripted policy "${request.model.model}".`, {
        code: 'model.not_found',
      });
    const { plays } = request;
    const known =
      playsOracle(named.policy) && plays !== undefined && taskFolder !== undefined
        ? await taskFolder(plays).then(async (dir) => ({
            oracleFiles: await readOracle(dir),
            secretSizes: await secretSizes(dir),
          }))
        : {};
    const said = POLICIES[named.policy]({
      ...viewOf(request),
      ...{ number: named.number, task: plays?.task, backend: plays?.backend, seed: plays?.seed, ...known },
    });
    return freeReply(request.messages, replyInForm(said, formOf(request)));
  },
});

export const scriptedPlayer: FreePlayer = createScriptedPlayer();

/** The run's step; without it, count the usable replies among the messages. */
function viewOf(request: TurnRequest) {
  const { messages, turn } = request;
  const game = gameOf(messages);
  if (turn !== undefined) return { messages, game, stepsTaken: turn.step - 1, requery: turn.try > 0 };
  const form = formOf(request);
  const usable = messages
    .filter((message) => message.role === 'assistant')
    .map(({ content, toolCalls }) => parserOf(form.parser)({ text: content, toolCalls }, form).kind === 'action');
  return { messages, game, stepsTaken: usable.filter(Boolean).length, requery: usable.at(-1) === false };
}
