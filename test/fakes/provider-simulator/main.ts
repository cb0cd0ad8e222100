import { renameSync, writeFileSync } from 'node:fs';
import { playProgram, startProviderSimulator } from './index.js';

/**
 * The simulator as a process, for tests in other languages: main.ts KEY FILE [FAULT...]. Plays the
 * optimum; every third request gets the next fault. Rewrites FILE, addresses and bill, each second.
 */
const [key = '', file = '', ...faults] = process.argv.slice(2);
const kinds: Record<string, Parameters<typeof Object.assign>[0]> = {
  '429': { kind: 'rate_limit', retryAfter: '1' },
  '500': { kind: 'server_error' },
  cut: { kind: 'cut_in_body' },
};
const play = playProgram('optimum');
const simulator = await startProviderSimulator({
  keys: [key],
  priceOf: (model) =>
    model.startsWith('gpt-4o')
      ? { input: 2.5, cachedInput: 1.25, cacheWrite: 2.5, output: 10 }
      : { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
  behaviour: (request) => {
    const next = request.number % 3 === 0 ? faults.shift() : undefined;
    return next === undefined ? play(request) : (kinds[next] as { kind: 'server_error' });
  },
});
const write = (): void => {
  const { openAiBaseUrl, anthropicBaseUrl, geminiBaseUrl, bill, requests } = simulator;
  const addresses = { openAiBaseUrl, anthropicBaseUrl, geminiBaseUrl };
  const keys = [...new Set(requests.map((request) => request.key))];
  // Atomic: readers see a whole file.
  writeFileSync(`${file}.new`, JSON.stringify({ ...addresses, bill: bill.entries, faults, keys }));
  renameSync(`${file}.new`, file);
};
write();
setInterval(write, 1000);
