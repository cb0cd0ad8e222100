import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentFileSchema } from '../../../domain/agent/config.js';
import { EVENT_KINDS } from '../../../domain/run/event-kinds.js';
import { modelConfigSchema } from '../../../domain/model/config.js';
import { END_REASONS, FINAL_EVALUATIONS, RUN_STATUSES } from '../../../domain/run/outcomes.js';
import { taskSchema } from '../../../domain/task/task.js';
import { read } from './checkout.js';

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

/** Keys of an object and of its values; not of maps and lists, whose names users choose. */
function keys(schema: JsonSchema): string[] {
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) => [key, ...keys(value)]),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(keys),
  ];
}
const keysOf = (schema: z.ZodType): string[] => [
  ...new Set(keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)),
];

const missing = (names: readonly string[], ...pages: string[]): string[] => {
  const text = pages.map(read).join('\n');
  return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
};

describe('reference pages have each', () => {
  it('key of task.yaml', () => {
    expect(keysOf(taskSchema).length).toBeGreaterThan(40);
    expect(missing(keysOf(taskSchema), 'docs/reference/tasks.md', 'docs/reference/images.md')).toEqual([]);
  });

  it('key of an agent file', () => {
    expect(keysOf(agentFileSchema).length).toBeGreaterThan(15);
    expect(missing(keysOf(agentFileSchema), 'docs/reference/agents.md')).toEqual([]);
  });

  it('key of a model file', () => {
    expect(keysOf(modelConfigSchema).length).toBeGreaterThan(15);
    expect(missing(keysOf(modelConfigSchema), 'docs/reference/models.md')).toEqual([]);
  });

  it('way in which a run ends, and each state', () => {
    const words = [...END_REASONS, ...FINAL_EVALUATIONS, ...RUN_STATUSES];
    expect(missing(words, 'docs/reference/outcomes.md')).toEqual([]);
  });

  it('kind of event', () => {
    expect(missing(EVENT_KINDS, 'docs/reference/outcomes.md', 'docs/concepts/architecture.md')).toEqual([]);
  });
});

describe('Python that pages show', () => {
  it('imports what bench_tasks has', () => {
    const imports = ['docs/guides/writing-a-task.md', 'docs/reference/tasks.md'].flatMap((page) =>
      [...read(page).matchAll(/^from bench_tasks\.(\w+) import (.+)$/gm)].flatMap(([, module = '', names = '']) =>
        names.split(', ').map((name) => ({ page, module, name })),
      ),
    );
    expect(imports.length).toBeGreaterThan(5);
    const defines = (module: string, name: string): boolean =>
      new RegExp(`^(class|def) ${name}\\b`, 'm').test(read(`images/evaluator/bench_tasks/${module}.py`));
    expect(imports.filter(({ module, name }) => !defines(module, name))).toEqual([]);
  });
});
