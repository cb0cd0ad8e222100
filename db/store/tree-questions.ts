import type pg from 'pg';
import type { Trees } from '../../domain/ports/record/trees.js';
import { addUsd } from '../../domain/model/price.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { type Direction, readDirections } from '../../domain/tree/directions.js';
import {
  type AccountedNode,
  type Question,
  QUESTION_STEP,
  questionsNow,
  questionTry,
} from '../../domain/tree/questions.js';
import type { StoredDefinition } from './definitions.js';
import { lockedTree, nodesOf, roomOf } from './tree-rows.js';

type Locked = <T>(operation: string, work: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

/** What a tree asks its model: turns of its own run, before its first step. */
export function treeQuestionStore(
  definitionOf: (runId: string) => Promise<StoredDefinition>,
  locked: Locked,
): Pick<Trees, 'treeQuestions'> {
  return {
    async treeQuestions(treeRunId) {
      const root = (await definitionOf(treeRunId)).read();
      const { search } = root.agent;
      if (search === undefined) throw new Error(`run ${treeRunId} plays no tree`);
      return locked('treeQuestions', async (client) => {
        const tree = await lockedTree(client, treeRunId);
        if (tree === undefined || tree.stopped !== null) return null;
        const nodes = await nodesOf(client, treeRunId);
        if (nodes.length === 0 || nodes.some(({ status, endReason }) => status === 'open' || endReason === 'budget'))
          return null;
        const { nodes: room, share, stop } = await roomOf(client, treeRunId, tree);
        if (stop !== null) return null;
        const wanted = questionsNow(search, nodes, root.seed, Math.min(search.parallel, room));
        const answered = await answersOf(client, treeRunId, nodes.length);
        const questions = wanted.filter((question) => answered.given[question] === undefined);
        if (questions.length === 0) return null;
        const {
          rows: [own],
        } = await client.query<{ usd: string; tokens: number }>(
          `select (r.input_tokens + r.output_tokens)::float8 as tokens,
             trim_scale(r.cost_usd + coalesce((
               select sum(c.reserved_usd) from model_calls c
               where c.run_id = r.run_id and c.status in ('reserved', 'unconfirmed')
             ), 0))::text as usd
           from runs r where r.run_id = $1`,
          [treeRunId],
        );
        return {
          questions: questions.map((question) => ({ question, try: questionTry(question, nodes.length) })),
          account: {
            ...{ nodes: await accountsOf(client, root), room, steps: search.nodeSteps },
            task: {
              ...{ name: root.task.name, description: root.task.description, metric: root.task.primary },
              lowerIsBetter: root.task.metrics[root.task.primary]?.direction === 'minimize',
            },
            width: search.policy === 'scientist' ? Math.min(search.width, search.parallel, room) : 1,
          },
          // As much as one node: it never takes the part of those that it is asked for.
          costLimitUsd: share.costUsd === null ? null : addUsd(own!.usd, share.costUsd),
          tokenLimit: share.tokens === 0 ? 0 : own!.tokens + share.tokens,
        };
      });
    },
  };
}

interface Answers {
  given: Partial<Record<Question, string>>;
  reflexion: string | null;
  directions: Direction[];
}

/** What was answered before the node of this number was opened. */
export async function answersOf(client: pg.PoolClient, treeRunId: string, nodes: number): Promise<Answers> {
  const tries = { reflexion: questionTry('reflexion', nodes), directions: questionTry('directions', nodes) };
  const { rows } = await client.query<{ try: number; response: string }>(
    `select try, response from model_calls where run_id = $1 and step = $2 and status = 'confirmed' and try = any ($3)`,
    [treeRunId, QUESTION_STEP, Object.values(tries)],
  );
  const of = (question: Question): string | undefined => rows.find((row) => row.try === tries[question])?.response;
  const [reflexion, directions] = [of('reflexion'), of('directions')];
  return {
    given: { ...(reflexion === undefined ? {} : { reflexion }), ...(directions === undefined ? {} : { directions }) },
    reflexion: reflexion === undefined || reflexion.trim() === '' ? null : reflexion.trim(),
    directions: directions === undefined ? [] : readDirections(directions),
  };
}

async function accountsOf(client: pg.PoolClient, { runId, task }: RunDefinition): Promise<AccountedNode[]> {
  const sign = task.metrics[task.primary]?.direction === 'minimize' ? -1 : 1;
  const { rows } = await client.query<Omit<AccountedNode, 'score'> & { value: number | null }>(
    `select n.node as index, n.operator, n.parent, n.second_parent as "secondParent", n.status, n.value, coalesce(own.work, '[]') as work
     from tree_nodes n join runs r on r.run_id = n.run_id
     cross join lateral (
       select jsonb_agg(jsonb_build_object('thought', left(s.thought, 1000), 'action', left(s.action, 1000)) order by s.step) as work
       from steps s where s.run_id = n.run_id and s.step > coalesce(r.forked_at_step, 0) and s.action is not null
     ) own
     where n.tree_run_id = $1 order by n.node`,
    [runId],
  );
  return rows.map(({ value, ...node }) => ({ ...node, score: value === null ? null : sign * value }));
}
