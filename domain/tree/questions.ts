import type { ChatMessage } from '../model/model.js';
import { nextWave } from './next-wave.js';
import type { SearchSpec } from './spec.js';
import type { Operator, TreeNode } from './tree.js';

/** What a tree asks its model about itself: which nodes to go on from, or what all of them have taught. */
export const QUESTIONS = ['reflexion', 'directions'] as const;
export type Question = (typeof QUESTIONS)[number];

/** Questions are turns of the tree's own run, before its first step. */
export const QUESTION_STEP = 0;

/** A question's try: asked before the node of this number is opened. */
export const questionTry = (question: Question, nodes: number): number =>
  QUESTIONS.length * nodes + QUESTIONS.indexOf(question);

/** Does a tree ever ask? */
const asksItsModel = ({ policy, reflexion = false }: Pick<SearchSpec, 'policy' | 'reflexion'>): boolean =>
  policy === 'scientist' || reflexion;

/** The questions before the next wave; all nodes are settled. Drafts would not receive the answers. */
export function questionsNow(spec: SearchSpec, nodes: readonly TreeNode[], seed: number, room: number): Question[] {
  if (!asksItsModel(spec)) return [];
  if (nextWave(spec, nodes, seed, room).every(({ parent }) => parent === null)) return [];
  return QUESTIONS.filter((question) =>
    question === 'reflexion' ? spec.reflexion === true : spec.policy === 'scientist',
  );
}

/** A node as the tree's model sees it. */
export interface AccountedNode {
  index: number;
  operator: Operator;
  parent: number | null;
  secondParent: number | null;
  status: TreeNode['status'];
  /** In the task's direction. */
  score: number | null;
  /** Its own steps, in order. */
  work: readonly { thought: string; action: string }[];
}

export interface TreeAccount {
  task: { name: string; description: string; metric: string; lowerIsBetter: boolean };
  nodes: readonly AccountedNode[];
  /** Nodes that may still be opened. */
  room: number;
  /** Of one node. */
  steps: number;
  /** Nodes to name. */
  width: number;
}

const SYSTEM = `You lead a search for the best solution of a machine-learning task. You do not work at the command line yourself: each node of the
search is a worker with a copy of its parent's workspace and a few steps, whose result is then scored on validation data.`;

/** Longest account of all nodes' work together, and of one node's, characters. */
const MOST_WORK = 40_000;
const MOST_OF_ONE = 1_500;

export function questionMessages(question: Question, account: TreeAccount): ChatMessage[] {
  const { task, nodes, room, steps, width } = account;
  const each = Math.min(MOST_OF_ONE, Math.floor(MOST_WORK / Math.max(1, nodes.length)));
  const content = [
    `# TASK: ${task.name}`,
    task.description,
    `Scores are \`${task.metric}\`; ${task.lowerIsBetter ? 'lower' : 'higher'} is better.`,
    '',
    '# NODES SO FAR',
    ...nodes.map((node) => accountOf(node, each)),
    '',
    `There is room for ${room} more ${room === 1 ? 'node' : 'nodes'}, of at most ${steps} steps each.`,
    '',
    '# YOUR ANSWER',
    question === 'reflexion' ? REFLEXION : directionsWanted(width),
  ].join('\n');
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content },
  ];
}

const REFLEXION = `Write three to eight sentences to the workers of the next nodes, who will read them first: what raised the score, what failed and why, and
what is still worth trying. Nothing else.`;

const directionsWanted = (
  width: number,
): string => `Name ${width === 1 ? 'the node' : `${width} nodes`} to go on from, and say in a few sentences what its worker is to try:

PARENT: node_<number>
<what to try>
${width === 1 ? '' : '\nOne such block for each; the same node may be named more than once.'}
A node that could not be scored may be named: its worker repairs it. \`PARENT: none\` begins anew with the task's own files, by a worker who is told nothing.`;

function accountOf(
  { index, operator, parent, secondParent, status, score, work }: AccountedNode,
  most: number,
): string {
  const from = parent === null ? '' : ` of node_${parent}${secondParent === null ? '' : ` with node_${secondParent}`}`;
  const came = { scored: `scored ${score}`, failed: 'could not be scored', lost: 'came to nothing', open: 'open' };
  const done = work.map(({ thought, action }) => `${thought}\n$ ${action}`.trim()).join('\n');
  const end = done.length > most ? `…${done.slice(-most)}` : done;
  return [
    `node_${index}: ${operator}${from}, ${came[status]}`,
    ...end
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `    ${line}`),
  ].join('\n');
}
