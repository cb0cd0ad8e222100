import { createHash } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Of a ULID: its time. */
const TIME = 10;

/** Looks like any id of that time. */
function derived(treeRunId: string, part: string): string {
  const hash = createHash('sha256').update(`${treeRunId}/${part}`).digest();
  const random = Array.from({ length: 16 }, (_, at) => ALPHABET[hash[at]! % ALPHABET.length]).join('');
  return `${treeRunId.slice(2, 2 + TIME)}${random}`;
}

/** Derived from the tree's run and the node's place: the same whenever the node is opened. */
export const nodeRunId = (treeRunId: string, node: number): string => `r-${derived(treeRunId, String(node))}`;

/** The batch that holds the nodes of a tree. */
export const nodesBatchId = (treeRunId: string): string => `b-${derived(treeRunId, 'nodes')}`;

/** Attempts of a batch have consecutive seeds; their nodes must not share any. */
export const nodeSeed = (treeSeed: number, node: number): number => (treeSeed % 1_000_000_000) * 1000 + node;
