import type { EnvServer } from './env-server.js';
import { McpClient } from './mcp-client.js';
import { NemoClient } from './nemo-client.js';
import { OpenEnvClient, type Reply } from './open-env-client.js';
import { OrsClient } from './ors-client.js';

export interface Said {
  message: string;
  reward: number | null;
  done: boolean;
  /** The protocol's error for our fault, which has no reward; null: none. */
  fault: string | null;
  /** All that its client read. */
  whole: string;
}

export interface PlayedEpisode {
  id: string;
  first: string;
  act(command: string): Promise<Said>;
}

export type Protocol = 'openenv' | 'ors' | 'rest' | 'nemo' | 'mcp';
export type ResetEpisode = (server: EnvServer, reset: Record<string, unknown>) => Promise<PlayedEpisode>;

const failed = (fault: string): Said => ({ message: '', reward: null, done: true, fault, whole: fault });
const newKey = (): string => `k-${Math.random().toString(36).slice(2).padEnd(20, '0')}`;

async function overOpenEnv(server: EnvServer, reset: Record<string, unknown>): Promise<PlayedEpisode> {
  const url = `${server.url}/s/${newKey()}`;
  let client = await OpenEnvClient.connect(url);
  /** Repeats the frame on a new connection when the front's death broke the last one. */
  const ask = async (frame: unknown): Promise<Reply> => {
    for (;;) {
      if (client.socket.readyState === client.socket.OPEN) client.send(frame);
      const reply = await client.next();
      if (reply !== null) return reply;
      const next = await OpenEnvClient.connect(url).catch(() => null);
      if (next !== null) client = next;
      else await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const begun = await ask({ type: 'reset', data: reset });
  if (begun.type !== 'observation') throw new Error(JSON.stringify(begun));
  const act = async (command: string): Promise<Said> => {
    const reply = await ask({ type: 'step', data: { command } });
    const { type, data } = reply;
    if (type === 'error' && data.code === 'EXECUTION_ERROR') return failed(String(data['message']));
    if (type !== 'observation') throw new Error(JSON.stringify(reply));
    if (data.metadata['status'] === 'running') return act('wait');
    const { observation, reward, done } = data;
    if (done) client.cut();
    return { message: observation.message, reward, done, fault: null, whole: JSON.stringify(reply) };
  };
  return { id: String(begun.data.metadata['run_id']), first: begun.data.observation.message, act };
}

async function overOrs(server: EnvServer, reset: Record<string, unknown>): Promise<PlayedEpisode> {
  const client = new OrsClient(server);
  // The reward that a step adds, as in the other protocols.
  const spec = { reward: { mode: 'delta_prev' }, ...reset };
  const opened = await client.retried(() => client.open({ task_spec: spec, env_name: 'bench' }));
  if (opened.status !== 200) throw new Error(`${opened.status}: ${opened.text}`);
  const { text } = await client.retried(() => client.send('GET', '/prompt'));
  const [{ text: first }] = JSON.parse(text) as [{ text: string }];
  return {
    id: `r-${client.sid.slice(0, 26)}`,
    first,
    async act(command) {
      const asked =
        command === 'validate' || command === 'submit' ? client.call(command) : client.call('run', { command });
      const { result } = await asked.catch((error: unknown) => {
        const [, fault] = /^error event: ([\s\S]*)$/.exec((error as Error).message) ?? [];
        if (fault === undefined) throw error;
        return { result: fault };
      });
      if (typeof result === 'string') return failed(result);
      if (!result.ok) throw new Error(JSON.stringify(result));
      const { blocks, reward, finished } = result.output;
      const message = blocks.map((block) => block.text).join('');
      return { message, reward, done: finished, fault: null, whole: JSON.stringify(result) };
    },
  };
}

interface RestStep {
  status?: 'running';
  observation: { message: string };
  reward: number | null;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
  error?: { type: string };
}

async function overRest(server: EnvServer, reset: Record<string, unknown>): Promise<PlayedEpisode> {
  const id = newKey();
  const ask = async (path: string, body: unknown) => {
    for (;;) {
      const answer = await server.ask<RestStep>('POST', path, body);
      // 202: it still runs. 503 without an outcome: services are away.
      const again = answer.status === 202 || (answer.status === 503 && answer.body.error?.type === 'services');
      if (!again) return answer;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const begun = await ask('/v1/episodes', { episode_id: id, ...reset });
  if (begun.status !== 201) throw new Error(JSON.stringify(begun));
  let seq = 0;
  return {
    id: String(begun.body.info['run_id']),
    first: begun.body.observation.message,
    async act(action) {
      const { status, body } = await ask(`/v1/episodes/${id}/step`, { action, action_seq: ++seq });
      const whole = JSON.stringify(body);
      if (status === 503 && body.info['status'] === 'errored') return { ...failed(whole), reward: body.reward };
      if (status !== 200) throw new Error(`${status}: ${whole}`);
      const { observation, reward, terminated, truncated } = body;
      return { message: observation.message, reward, done: terminated || truncated, fault: null, whole };
    },
  };
}

async function overNemo(server: EnvServer, reset: Record<string, unknown>): Promise<PlayedEpisode> {
  const client = new NemoClient(server);
  const begun = await client.reset(reset);
  if (begun.status !== 200) throw new Error(JSON.stringify(begun));
  return {
    id: String(begun.body.info['run_id']),
    first: begun.body.observation,
    async act(command) {
      const { status, body } = await client.step(command);
      const whole = JSON.stringify(body);
      const { detail, mask_sample: masked } = body as unknown as { detail?: string; mask_sample?: boolean };
      if (status === 503 && masked === true) return { ...failed(whole), fault: detail ?? whole };
      if (status !== 200) throw new Error(`${status}: ${whole}`);
      const { observation, reward, terminated, truncated, info } = body;
      // The protocol requires a number; `evaluated` says whether it is a reward.
      const paid = info['evaluated'] === true ? reward : null;
      return { message: observation ?? '', reward: paid, done: terminated || truncated, fault: null, whole };
    },
  };
}

async function overMcp(server: EnvServer, reset: Record<string, unknown>): Promise<PlayedEpisode> {
  const spec = { reward: { mode: 'delta_prev' }, ...reset };
  const client = new McpClient(server, { 'x-bench-reset': JSON.stringify(spec) });
  const { result, error } = await client.hello();
  if (result === undefined) throw new Error(JSON.stringify(error));
  return {
    id: `r-${client.session.slice(0, 26)}`,
    first: String(result['instructions']),
    async act(command) {
      const named = command === 'validate' || command === 'submit';
      const params = named ? { name: command } : { name: 'run', arguments: { command } };
      const answer = await client.ask('tools/call', params);
      const whole = JSON.stringify(answer);
      if (answer.error?.code === -32603) return failed(whole);
      if (answer.result === undefined) throw new Error(whole);
      const { content, _meta } = answer.result as {
        content: { text: string }[];
        _meta: { bench: { reward: number | null; done: boolean } };
      };
      const { reward, done } = _meta.bench;
      return { message: content.map(({ text }) => text).join(''), reward, done, fault: null, whole };
    },
  };
}

/** Begins an episode over a protocol. All play one policy; rewards add up to the gain. */
export const PROTOCOLS: Record<Protocol, ResetEpisode> = {
  openenv: overOpenEnv,
  ors: overOrs,
  rest: overRest,
  nemo: overNemo,
  mcp: overMcp,
};
