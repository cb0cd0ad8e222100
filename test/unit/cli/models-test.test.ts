import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliContext } from '../../../cli/context.js';
import { buildProgram } from '../../../cli/program.js';
import { renderNotice } from '../../../cli/render/notice.js';
import type { Notice } from '../../../operations/notices.js';
import { chooseFreePort } from '../../../services/index.js';
import { type ProviderSimulator, startProviderSimulator } from '../../fakes/provider-simulator/index.js';
import { folder } from '../catalog/fixtures.js';
import { captured } from './fixtures.js';

const model = (name: string, more: string): [string, string] => [
  `models/${name}.yaml`,
  `schema: 1
description: a model
provider: openai
model: ${name}-of-the-provider
${more}
contextWindow: 100000
maxOutputTokens: 4000
prices: [{ from: 2025-01-01, input: 1, output: 5 }]
`,
];

let simulator: ProviderSimulator;
let deadPort: number;
beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: () => ({ kind: 'reply', text: 'OK' }), keys: ['sk-right'] });
  deadPort = await chooseFreePort(`closed ${process.pid} ${Date.now()}`);
});
afterAll(() => simulator.close());

async function modelsTest(...names: string[]) {
  const { output, texts } = captured({ json: true });
  let exitCode = 0;
  const configs = folder(
    Object.fromEntries([
      model('answers', `baseUrl: ${simulator.openAiBaseUrl}\napiKeyVariable: RIGHT_KEY`),
      model('refuses', `baseUrl: ${simulator.openAiBaseUrl}\napiKeyVariable: WRONG_KEY`),
      model('dead', `baseUrl: http://127.0.0.1:${deadPort}/v1\napiKeyVariable: RIGHT_KEY`),
      model('keyless', `baseUrl: ${simulator.openAiBaseUrl}\napiKeyVariable: NO_KEY`),
    ]),
  );
  const context = {
    settings: {
      configFolders: [configs],
      env: { RIGHT_KEY: 'sk-right', WRONG_KEY: 'sk-wrong-canary' },
      layout: { envFile: '.env' },
    },
    output,
    notify: (notice: Notice) => {
      for (const line of renderNotice(notice, output.logColors)) output.log(line);
    },
    onInterrupt: () => new AbortController().signal,
    setExitCode: (code: number) => (exitCode = code),
  } as unknown as CliContext;
  const program = await buildProgram(context, 'models');
  await program.parseAsync(['models', 'test', ...names, '--json'], { from: 'user' });
  return { exitCode, told: texts.stderr, ...(JSON.parse(texts.stdout) as { ok: boolean; models: unknown[] }) };
}

describe('bench models test', () => {
  it('asks each model that was named once, and says what it answered, how soon and for how much', async () => {
    const asked = simulator.requests.length;
    const { exitCode, ok, models } = await modelsTest('answers');
    expect({ exitCode, ok }).toEqual({ exitCode: 0, ok: true });
    const { costUsd } = simulator.bill.entries.at(-1)!;
    const endpoint = simulator.openAiBaseUrl.replace('http://', '');
    expect(models).toEqual([
      { model: 'answers', endpoint, ok: true, ms: expect.any(Number) as number, costUsd, errorType: null, error: null },
    ]);
    expect(simulator.requests.length).toBe(asked + 1);
    expect(simulator.requests.at(-1)?.model).toBe('answers-of-the-provider');
  });

  it('says of all whose keys are set what is wrong with them, and leaves with 1', async () => {
    const { exitCode, ok, models, told } = await modelsTest();
    expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false });
    expect(models).toMatchObject([
      { model: 'answers', ok: true },
      { model: 'dead', ok: false, errorType: 'unreachable', costUsd: '0' },
      {
        model: 'refuses',
        ok: false,
        errorType: 'auth',
        error: expect.stringContaining('does not accept the key') as string,
      },
    ]);
    expect(told).toContain('not tested, NO_KEY is not set: keyless');
    expect(JSON.stringify({ models, told })).not.toContain('canary');
  });

  it('tells an address where a web server answers', async () => {
    simulator.behave(() => ({ kind: 'page' }));
    const { exitCode, models } = await modelsTest('answers');
    simulator.behave(() => ({ kind: 'reply', text: 'OK' }));
    expect(exitCode).toBe(1);
    expect(models).toMatchObject([{ errorType: 'not_an_api' }]);
  });

  it('refuses what cannot be tested', async () => {
    await expect(modelsTest('keyless')).rejects.toThrow('NO_KEY (for keyless) is not set');
    await expect(modelsTest('scripted:optimum')).rejects.toThrow('calls no provider');
    await expect(modelsTest('answer')).rejects.toThrow('no model "answer"');
  });
});
