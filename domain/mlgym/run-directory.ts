export interface RunDirectoryName {
  model: string;
  task: string;
  /** Null: the name has no such part. */
  agent: string | null;
  temperature: number | null;
  topP: number | null;
  /** US dollars as in the name; null: none, or 0, which means no limit. */
  costLimitUsd: string | null;
  runIndex: number;
}

/**
 * `metagen-<model>__<task>__<settings, apart by "__">_run_<index>`; prefix, settings and index are
 * optional. Null: another form. Models have hyphens and digits; tasks, the whole second field.
 */
export function parseRunDirectory(name: string): RunDirectoryName | null {
  const [, stem = '', index = '0'] = /^([\s\S]*?)(?:_run_(\d{1,6}))?$/.exec(name) ?? [];
  const [model = '', task = '', ...settings] = stem.replace(/^metagen-/, '').split('__');
  if (model === '' || task === '') return null;
  const number = (prefix: string): string | null => {
    const found = settings.find((setting) => setting.startsWith(prefix));
    const text = found?.slice(prefix.length) ?? '';
    return /^\d{1,9}(\.\d{1,10})?$/.test(text) ? text : null;
  };
  const [temperature, topP, cost] = [number('t-'), number('p-'), number('c-')];
  const [agent = ''] = settings;
  return {
    model,
    task,
    agent: agent === '' || /^[tpc]-\d/.test(agent) ? null : agent,
    temperature: temperature === null ? null : Number(temperature),
    topP: topP === null ? null : Number(topP),
    costLimitUsd: cost === null || Number(cost) === 0 ? null : cost,
    runIndex: Number(index),
  };
}
