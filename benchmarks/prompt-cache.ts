/**
 * What the prompts of a run cost with Anthropic's cache, by agent and history: real prompts through
 * the real adapter, against a server with the cache's documented rules. `ofUncached`: of the same
 * prompts without marks; `ofDefault`: of the default agent's prompts without marks;
 * `forAnHour`: as `ofUncached`, with marks that are kept for an hour.
 *
 *   npm run benchmark:prompt-cache -- [--steps 50] [--tokens 3000] [--seconds 60]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadAgent } from '../catalog/index.js';
import type { AgentConfig } from '../domain/agent/config.js';
import { play } from './prompt-cache/play.js';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '50' },
    tokens: { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '60' },
  },
});
const setting = {
  steps: Number(values.steps),
  observationTokens: Number(values.tokens),
  secondsPerStep: Number(values.seconds),
};

const bundled = join(import.meta.dirname, '../../configs');
const agentOf = (name: string, more: Partial<AgentConfig> = {}): AgentConfig => ({
  ...loadAgent([bundled], name).config,
  ...more,
});
const inBlocks = (block: number): Partial<AgentConfig> => ({
  historyProcessor: 'last-n-observations',
  historyProcessorArgs: { n: 5, block },
});

const cases: [agent: string, history: string, config: AgentConfig][] = [
  ['default', 'as it is', agentOf('default')],
  ['default', 'n: 5, block: 5', agentOf('default', inBlocks(5))],
  ['default', 'n: 5, block: 10', agentOf('default', inBlocks(10))],
  ['default', 'n: 5, block: 20', agentOf('default', inBlocks(20))],
  ['default', 'whole', agentOf('default', { historyProcessor: 'default', historyProcessorArgs: {} })],
  ['tool-calling', 'as it is', agentOf('tool-calling')],
  ['tool-calling', 'n: 5, block: 10', agentOf('tool-calling', inBlocks(10))],
];

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const reference = (await play({ agent: agentOf('default'), caching: false, ...setting })).usd;
const rows = [];
for (const [agent, history, config] of cases) {
  const uncached = await play({ agent: config, caching: false, ...setting });
  const cached = await play({ agent: config, caching: true, ...setting });
  const forAnHour = await play({ agent: config, caching: true, forAnHour: true, ...setting });
  const row = {
    ...{ agent, history, uncachedUsd: rounded(uncached.usd), cachedUsd: rounded(cached.usd) },
    ...{ ofUncached: rounded(cached.usd / uncached.usd), ofDefault: rounded(cached.usd / reference) },
    ...{ hitRate: rounded(cached.readTokens / cached.inputTokens), forAnHour: rounded(forAnHour.usd / uncached.usd) },
  };
  rows.push(row);
  process.stderr.write(
    `${agent}, ${history}: $${row.cachedUsd} of $${row.uncachedUsd} uncached (${row.ofUncached}; ${row.ofDefault} of the default agent's; ${row.forAnHour} kept for an hour)\n`,
  );
}
process.stdout.write(`${JSON.stringify({ ...setting, rows }, null, 2)}\n`);
