import { readFile, stat } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { type Backend, BACKENDS } from '../../../domain/run/run.js';

const MOST_BYTES = 1024 * 1024;
const SECRET = /api_?key|secret|password|credential|access_?token|auth/i;

export interface RunArguments {
  /** The file with secrets removed; null: no such file, or nothing could be read. */
  args: unknown;
  problem: string | null;
  providerModel: string | null;
  maxSteps: number;
  seed: number;
  gpus: number;
  backend: Backend;
}

const NOTHING = { args: null, providerModel: null, maxSteps: 0, seed: 0, gpus: 0, backend: 'docker' } as const;

/** `args.yaml`, as far as it can be read: the run's arguments. Null: no such file. */
export async function readArguments(path: string | null): Promise<RunArguments> {
  if (path === null) return { ...NOTHING, problem: null };
  try {
    if ((await stat(path)).size > MOST_BYTES) return { ...NOTHING, problem: `longer than ${MOST_BYTES} bytes` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    // Tags of Python objects are read as their values.
    const document = parseDocument(text, { logLevel: 'silent' });
    const [error] = document.errors;
    if (error !== undefined) return { ...NOTHING, problem: error.message.split('\n')[0] ?? 'not YAML' };
    return { ...fields(withoutSecrets(document.toJS({ maxAliasCount: 100 }))), problem: null };
  } catch (error) {
    return { ...NOTHING, problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
}

function fields(args: unknown): Omit<RunArguments, 'problem'> {
  const at = (...keys: string[]): unknown =>
    keys.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), args);
  const count = (value: unknown): number =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
  const model = at('agent', 'model', 'model_name') ?? at('model', 'model_name') ?? at('model_name');
  const container = at('environment', 'container_type') ?? at('container_type');
  return {
    args,
    providerModel: typeof model === 'string' && model !== '' ? model : null,
    maxSteps: Math.min(count(at('environment', 'max_steps') ?? at('max_steps')), 1_000_000),
    seed: count(at('environment', 'seed') ?? at('seed')),
    gpus: Math.min(count(at('gpus_per_agent')), 1024),
    backend: BACKENDS.find((backend) => backend === container && backend !== 'local') ?? 'docker',
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      SECRET.test(key) && inner !== null && inner !== '' ? '(removed)' : withoutSecrets(inner),
    ]),
  );
}
