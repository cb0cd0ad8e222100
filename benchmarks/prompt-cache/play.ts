import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AgentConfig } from '../../domain/agent/config.js';
import { PromptHistory } from '../../domain/agent/prompt-history.js';
import { toolDefinitions, type PromptInput } from '../../domain/agent/messages.js';
import { encodeReply } from '../../domain/agent/reply-encoding.js';
import { type ModelConfig, modelConfigSchema } from '../../domain/model/config.js';
import { addUsd } from '../../domain/model/price.js';
import type { ShownStep } from '../../domain/run/run.js';
import { createAnthropicModel } from '../../models/anthropic.js';
import { CacheRules } from './cache-rules.js';

export interface Play {
  agent: AgentConfig;
  steps: number;
  observationTokens: number;
  caching: boolean;
  secondsPerStep: number;
  /** Marks are kept for an hour, not for five minutes. */
  forAnHour?: boolean;
}

export interface Played {
  /** Of prompts alone. */
  usd: number;
  inputTokens: number;
  readTokens: number;
  writtenTokens: number;
}

const PRICE = { input: 3, cachedInput: 0.3, cacheWrite: 3.75 };

const configOf = (caching: boolean): ModelConfig =>
  modelConfigSchema.parse({
    ...{ schema: 1, description: 'benchmark', provider: 'anthropic', model: 'm', apiKeyVariable: 'KEY' },
    ...{ contextWindow: 1_000_000, maxOutputTokens: 1000, promptCaching: caching },
    prices: [{ from: '2025-01-01', ...PRICE, output: 0 }],
  });

const task = {
  ...{ id: 'benchmark', name: 'Benchmark', primary: 'score', submission: { files: ['submission.csv'] } },
  ...{ description: 'Predict the price of each house from its features. '.repeat(40), network: 'none' },
  ...{ limits: { commandSeconds: 1800 }, metrics: { score: { description: 'error', direction: 'minimize' } } },
};

/** Different in each step, as output is. */
function stepOf(step: number, tools: boolean, observationTokens: number): ShownStep {
  const command = `python train.py --rate 0.${step} --depth ${step}`;
  const thought = `Attempt ${step}: the last change helped on validation, so I go on in that direction. `.repeat(4);
  const response = tools
    ? encodeReply({
        text: thought,
        toolCalls: [{ id: `c${step}`, name: 'bash', arguments: JSON.stringify({ command }) }],
      })
    : `${thought}\n\`\`\`\n${command}\n\`\`\``;
  const line = `epoch ${step}: loss 0.${step}173 accuracy 0.${step}91\n`;
  const observation = line.repeat(Math.ceil((observationTokens * 4) / line.length));
  return { ...{ step, response, observation, exitCode: 0, timedOut: false, workingDir: '/home/agent' } };
}

/** Plays a run's prompts through the real adapter, against a server with the provider's rules. */
export async function play(given: Play): Promise<Played> {
  const { agent, steps, observationTokens, caching, secondsPerStep, forAnHour = false } = given;
  const rules = new CacheRules();
  let now = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const usage = rules.usage(JSON.parse(await text(request)) as never, now);
      const counts = {
        ...{ cache_read_input_tokens: usage.read, cache_creation_input_tokens: usage.written },
        cache_creation: {
          ephemeral_5m_input_tokens: usage.written - usage.writtenForAnHour,
          ephemeral_1h_input_tokens: usage.writtenForAnHour,
        },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn' },
          usage: { input_tokens: usage.input, output_tokens: 1, ...counts },
        }),
      );
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const config = configOf(caching);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const port = createAnthropicModel({ config, apiKey: 'key', baseUrl });
  const run = { task, agent, maxSteps: steps } as unknown as PromptInput;
  const history = new PromptHistory(run, '/home/agent');
  const tools = toolDefinitions(run, '/home/agent');
  const model = { name: 'm', kind: 'real', provider: 'anthropic', model: 'm', config } as const;
  const played = { usd: '0', inputTokens: 0, readTokens: 0, writtenTokens: 0 };
  try {
    for (let step = 1; step <= steps; step += 1) {
      const asked = {
        ...{ model, messages: history.prompt(), sampling: {}, seed: 0, ...(tools && { tools }) },
        ...(forAnHour && { cacheForAnHour: true as const }),
      };
      const { costUsd, usage } = await port.complete(asked, new AbortController().signal);
      played.usd = addUsd(played.usd, costUsd);
      played.inputTokens += usage.inputTokens;
      played.readTokens += usage.cachedTokens;
      played.writtenTokens += usage.cacheWriteTokens ?? 0;
      history.add([stepOf(step, tools !== undefined, observationTokens)]);
      now += secondsPerStep * 1000;
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return { ...played, usd: Number(played.usd) };
}
