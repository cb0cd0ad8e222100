import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { EpisodeRow } from '../../../domain/ports/episodes.js';
import { Connection, type ConnectionOptions } from '../../../envs/openenv/connection.js';
import type { Frame } from '../../../envs/openenv/frames.js';
import { EnvSession } from '../../../envs/openenv/session.js';
import type { Play, PlayedStep } from '../../../envs/play.js';
import type { HarborTools } from '../../../envs/rollouts/harbor.js';

const call = (tool: string) => ({
  type: 'step',
  data: {
    ...{ type: 'call_tool', tool_name: tool },
    arguments: { llm_url: 'http://elsewhere/v1', model: 'm', api_key: '$BENCH_ROLLOUT_API_KEY' },
  },
});

/** A connection of a session that plays this; what was asked of the server through it. */
function connected(episode: Partial<EpisodeRow> | null, { made = true } = {}) {
  const asked: string[] = [];
  let row = episode === null ? null : ({ runId: 'r-1', seq: 0, reset: {}, ...episode } as EpisodeRow);
  const outcome = { message: 'Nothing was executed.', reward: null, terminated: false, truncated: false, fault: null };
  const play: Partial<Play> = {
    ofSession: () => Promise.resolve(row),
    known: () => Promise.resolve(row!),
    beginning: () => Promise.resolve({ episode: row!, message: 'Play.' } as Awaited<ReturnType<Play['beginning']>>),
    reset(_protocol, _body, { session = null } = {}) {
      row = { runId: 'r-1', seq: 0, reset: {}, session } as EpisodeRow;
      return this.beginning!(row);
    },
    taken: () => Promise.resolve(null),
    act(_episode, { action }) {
      asked.push(`action ${JSON.stringify((action as { tool: string }).tool)}`);
      return Promise.resolve(1);
    },
    outcome: () => Promise.resolve({ outcome: { seq: 1, ...outcome } } as unknown as PlayedStep),
  };
  const harbor: HarborTools = {
    runRollout: () => Promise.resolve(void asked.push('rollout') as never),
    capabilities: () => Promise.resolve(void asked.push('capabilities') as never),
  };
  const replies: Frame[] = [];
  const socket = Object.assign(new EventEmitter(), {
    ...{ readyState: 1, OPEN: 1, close: () => undefined },
    send: (text: string) => void replies.push(JSON.parse(text) as Frame),
  });
  const session = new EnvSession(play as Play, { key: 'mcp-a-session-of-a-client', task: null });
  const options = { play, session, harbor: made ? harbor : null, onLoss: 'idle', relay: null };
  const connection = new Connection(
    socket as unknown as WebSocket,
    options as unknown as ConnectionOptions,
    Promise.resolve(),
  );
  const ask = async (frame: object): Promise<Frame> => {
    const before = replies.length;
    socket.emit('message', Buffer.from(JSON.stringify(frame)));
    await expect.poll(() => replies.length, { interval: 1 }).toBe(before + 1);
    return replies.at(-1)!;
  };
  return { ask, asked, connection, lose: () => (row = null) };
}

describe.each(['run_rollout', 'capabilities'])('the tool %s', (tool) => {
  const harborDid = tool === 'run_rollout' ? 'rollout' : tool;

  test('is for sessions that have played nothing', async () => {
    const { ask, asked } = connected(null);
    for (const _ of [1, 2]) await ask(call(tool));
    expect(asked).toEqual([harborDid, harborDid]);
  });

  test.each([
    ['plays an episode', { seq: 3 }],
    ['has begun one that nobody acted in', { seq: 0 }],
    ['has played one to its end', { seq: 3, ended: true }],
  ])('is an action in a session that %s', async (_what, episode) => {
    const { ask, asked } = connected(episode);
    expect(await ask(call(tool))).toMatchObject({
      type: 'observation',
      data: { observation: { tool_name: tool, result: { data: 'Nothing was executed.' } } },
    });
    expect(asked).toEqual([`action "${tool}"`]);
  });

  test('is an action after a reset, although another connection has the episode by now', async () => {
    const { ask, asked, lose } = connected(null);
    await ask({ type: 'reset', data: { task: 'battleOfSexes' } });
    lose();
    await ask(call(tool));
    expect(asked).not.toContain(harborDid);
  });

  test('is an action on a connection without a session that its client made', async () => {
    const { ask, asked } = connected(null, { made: false });
    await ask(call(tool));
    expect(asked).toEqual([`action "${tool}"`]);
  });
});
