import type { ModelPort } from '../domain/ports/model-port.js';
import type { Player } from '../domain/ports/player.js';
import type { RateGovernor } from '../domain/ports/rate-governor.js';
import type { CallLedger } from '../domain/ports/record/call-ledger.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { Turns } from '../domain/ports/turns.js';
import type { WorkerIdentity } from '../domain/ports/worker-identity.js';
import { EXTERNAL_PROVIDER } from '../domain/run/queues.js';
import { paidModels } from './call-model.js';
import { externalPlayer } from './external-player.js';
import { freePlayer } from './free-player.js';
import { replayPlayer } from './replay.js';
import { createScriptedPlayer, type TaskFolderOf } from './scripted/index.js';

export interface PlayerParts {
  store: CallLedger & EventLog;
  turns: Pick<Turns, 'ask'>;
  governor: RateGovernor;
  worker: WorkerIdentity;
  models: ReadonlyMap<string, ModelPort>;
  taskFolder: TaskFolderOf;
}

export function createPlayers({
  store,
  turns,
  governor,
  worker,
  models,
  taskFolder,
}: PlayerParts): Map<string, Player> {
  const paid = paidModels({ store, models, governor, worker });
  return new Map([
    ['scripted', freePlayer(store, createScriptedPlayer(taskFolder))],
    ['replay', freePlayer(store, replayPlayer)],
    [EXTERNAL_PROVIDER, externalPlayer(store, turns)],
    ...[...models.keys()].map((provider) => [provider, paid] as const),
  ]);
}
