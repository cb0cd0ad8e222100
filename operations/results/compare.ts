import { BenchError } from '../../domain/errors.js';
import type { Comparisons } from '../../domain/ports/comparisons.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type ComparedBy, type CompareRequest, compareRequestSchema } from '../../domain/requests/pairs.js';
import type { Pairs } from '../../domain/views/pairs.js';
import { comparePairs, type PairPorts } from './compare-pairs.js';

export type ComparePorts = PairPorts & {
  queries: PairPorts['queries'] & Pick<RunReads, 'playedNames'>;
  comparisons: Pick<Comparisons, 'find'>;
};

const SHOWN = 10;

/** Is B better than A? BenchError (usage): a key is wrong, or a name is unknown. */
export async function compare(ports: ComparePorts, input: CompareRequest): Promise<Pairs> {
  const { a, b, by: asked, view, ...rules } = checkedRequest(compareRequestSchema, input);
  const by = asked ?? (await kindOf(ports, [a, b]));
  const saved = view === undefined ? null : (await ports.comparisons.find(view)).options;
  if (view !== undefined && by === 'batch' && saved?.batchId !== undefined)
    throw new BenchError('usage', `the saved view ${view} is of one batch: two batches are not compared in it`, {
      code: 'request.invalid',
      remedy: 'Compare two models or agents in it, or the batches without it.',
      fields: { view },
    });
  const key = ({ batch: 'batches', model: 'models', agent: 'agents' } as const)[by];
  const pairs =
    saved === null
      ? await comparePairs(ports, { ...rules, [key]: [a, b] })
      : await comparePairs(
          ports,
          {
            ...{ ...rules, [key]: [a, b], tasks: rules.tasks ?? saved.tasks },
            includeSuspect: rules.includeSuspect || saved.include?.includes('suspect') === true,
          },
          { batchId: saved.batchId ?? null, contracts: saved.contracts },
        );
  // Runs that have not ended, or of which none counts, leave it undecided.
  if (pairs.sides.a.runs > 0 && pairs.sides.b.runs > 0) return pairs;
  throw new BenchError('usage', `${pairs.sides.a.runs === 0 ? a : b} has no runs of these tasks`, {
    code: 'request.invalid',
    remedy: `Both are compared by ${by}. \`bench runs\` lists what there is.`,
  });
}

/** What both are: models first, as on the leaderboard. */
async function kindOf({ queries }: ComparePorts, sides: readonly string[]): Promise<ComparedBy> {
  const { models, agents } = await queries.playedNames();
  if (sides.every((name) => models.includes(name))) return 'model';
  if (sides.every((name) => agents.includes(name))) return 'agent';
  const problems = await Promise.all(sides.map((ref) => queries.findBatch(ref).then(() => null, unknownName)));
  if (problems.every((one) => one === null)) return 'batch';
  const known = [
    ...(models.length === 0 ? [] : [`models ${models.slice(0, SHOWN).join(', ')}`]),
    ...(agents.length === 0 ? [] : [`agents ${agents.slice(0, SHOWN).join(', ')}`]),
  ];
  throw new BenchError('usage', `${sides.join(' and ')} are not two models, agents or batches with runs`, {
    code: 'request.invalid',
    remedy: `There are ${known.join('; ') || 'no runs yet'}. \`bench batches\` lists batches.`,
  });
}

function unknownName(error: unknown): unknown {
  if (error instanceof BenchError && (error.type === 'not_found' || error.type === 'usage')) return error;
  throw error;
}
