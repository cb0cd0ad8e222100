/** Runs of `steps` commands, all at once, of a model over a wire or of none. */
export interface Case {
  /** `scripted`: each program's own stand-in, inside its process. */
  model: 'openai' | 'anthropic' | 'scripted';
  sandbox: 'local' | 'docker';
  latencyMs: number;
  runs: number;
  steps: number;
  /** Printed by each command, bytes; the prompt grows by them. */
  outputBytes: number;
}

export interface SideFigures {
  /** From the first start to the last end, seconds. */
  seconds: number;
  stepsPerSecond: number;
  /** Of the whole machine, without the provider. */
  cpuMsPerStep: number;
  memoryMb: number;
  /** From an answer to the run's next question, milliseconds; null: no provider was asked. */
  overheadMs: { p50: number | null; p95: number | null } | null;
}

export const nameOf = ({ model, sandbox, latencyMs, runs, steps, outputBytes }: Case): string =>
  `${model}${model === 'scripted' ? '' : `, ${latencyMs} ms`}, ${sandbox}, ${runs} × ${steps}` +
  (outputBytes === 0 ? '' : `, ${outputBytes} B a step`);

const CASE = /^(openai|anthropic|scripted):(local|docker):(\d+):(\d+)x(\d+)(?::(\d+))?$/;

/** `openai:local:500:200x30[:<bytes>]`: model, sandbox, latency, runs × steps, printed bytes. */
export function parseCase(text: string): Case {
  const [, model, sandbox, latencyMs, runs, steps, outputBytes] = CASE.exec(text) ?? [];
  if (model === undefined) throw new Error(`${text} is no case: <model>:<sandbox>:<latency>:<runs>x<steps>[:<bytes>]`);
  return {
    ...{ model: model as Case['model'], sandbox: sandbox as Case['sandbox'] },
    ...{
      latencyMs: Number(latencyMs),
      runs: Number(runs),
      steps: Number(steps),
      outputBytes: Number(outputBytes ?? 0),
    },
  };
}

export const round = (value: number): number => Number(value.toPrecision(3));
