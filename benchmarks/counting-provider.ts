import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { cpuTimeMs } from './cpu-time.js';

/** What the provider lets each run do. */
export interface Play {
  steps: number;
  /** Of an answer, milliseconds. */
  latencyMs: number;
  /** Printed by each command, bytes. */
  outputBytes: number;
}

const figuresSchema = z.object({
  runs: z.number(),
  questions: z.number(),
  /** Commands whose output the next question showed. */
  proved: z.number(),
  promptKb: z.object({ mean: z.number(), last: z.number() }),
  /** From an answer's last byte to the run's next question, milliseconds. */
  overheadMs: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
});
export type ProviderFigures = z.infer<typeof figuresSchema>;

/**
 * A process that answers as OpenAI's chat completions and Anthropic's messages do, and has each run
 * append to a file, in a fenced reply or by the first tool that the question offers.
 */
export class CountingProvider {
  private constructor(
    readonly url: string,
    readonly process: ChildProcess,
  ) {}

  static async start(): Promise<CountingProvider> {
    const main = join(import.meta.dirname, 'counting-provider-main.js');
    const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new CountingProvider(url, child);
  }

  async begin(play: Play): Promise<void> {
    await fetch(`${this.url}/begin`, { method: 'POST', body: JSON.stringify(play) });
  }

  async figures(): Promise<ProviderFigures> {
    return figuresSchema.parse(await (await fetch(`${this.url}/figures`)).json());
  }

  cpuMs(): number {
    return cpuTimeMs([this.process.pid ?? 0]);
  }

  stop(): void {
    this.process.kill();
  }
}
