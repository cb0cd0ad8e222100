/** The keys of Harbor's `task.toml` in its own models; Harbor ignores others, we report them. */
interface Keys {
  readonly [key: string]: true | 'free' | Keys;
}

const of = <const Names extends readonly string[]>(...names: Names): Readonly<Record<Names[number], true>> =>
  Object.fromEntries(names.map((name) => [name, true])) as Readonly<Record<Names[number], true>>;

const environment: Keys = {
  ...of('build_timeout_sec', 'docker_image', 'os', 'cpus', 'memory_mb', 'storage_mb', 'gpus', 'gpu_types', 'tpu'),
  ...of('network_mode', 'allowed_hosts', 'workdir', 'skills_dir', 'memory', 'storage', 'allow_internet', 'mcp_servers'),
  env: 'free',
  healthcheck: of('command', 'interval_sec', 'timeout_sec', 'start_period_sec', 'start_interval_sec', 'retries'),
};

const KEYS: Keys = {
  ...of('schema_version', 'version', 'source', 'artifacts', 'steps', 'multi_step_reward_strategy'),
  task: of('name', 'version', 'description', 'authors', 'keywords'),
  metadata: 'free',
  agent: of('timeout_sec', 'user', 'network_mode', 'allowed_hosts'),
  verifier: {
    ...of('timeout_sec', 'user', 'network_mode', 'allowed_hosts', 'environment_mode', 'collect'),
    env: 'free',
    environment,
  },
  solution: { env: 'free' },
  environment,
};

export const KNOWN_VERSIONS: readonly string[] = ['0.0', '1.0', '1.1', '1.2', '1.3', '1.4'];

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Keys that Harbor does not know either: `environment.gpu_count`. */
export function unknownKeys(file: Readonly<Record<string, unknown>>, keys: Keys = KEYS, at = ''): string[] {
  return Object.entries(file).flatMap(([key, value]) => {
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (known === undefined) return [`${at}${key}`];
    return typeof known === 'object' && isTable(value) ? unknownKeys(value, known, `${at}${key}.`) : [];
  });
}

/** The value at `environment.cpus`. */
export function valueAt(file: Readonly<Record<string, unknown>>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined), file);
}
