import { formatCount, formatDuration, formatUsd } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { inOrder } from '../../../domain/tree/in-order.js';
import { STOP_WORDS } from '../../../domain/tree/stop-words.js';
import { document as asked } from '../data/queries.js';
import { words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { Badge, Duration, Facts, Money, RunLink, RunState, Score, Tokens } from '../parts/values.js';
import type { Node, Tree } from './layout.js';
import { TreePicture } from './tree-picture.js';

/** While it goes on; its nodes are runs of another batch, which nobody here watches. */
const AGAIN_MS = 3_000;

/** The tree of forks that a run plays, or is a node of: limits, picture, nodes. */
export function TreeTab({ id }: { id: string }) {
  const tree = useQuery({
    ...asked('tree', { id }, {}),
    refetchInterval: ({ state: { data } }) => (data?.status === 'ended' ? false : AGAIN_MS),
  });
  return (
    <Shown of={tree} what="the tree" rows={12}>
      {(data) => (
        <>
          <Limits tree={data} id={id} />
          {data.nodes.length === 0 ? (
            <Empty title="No node yet">
              <p>The first nodes appear when the run has started.</p>
            </Empty>
          ) : (
            <>
              <TreePicture tree={data} />
              <Nodes tree={data} id={id} />
            </>
          )}
        </>
      )}
    </Shown>
  );
}

const of = (used: string, limit: string | null): string => (limit === null ? used : `${used} of ${limit}`);
const unlessNone = (limit: number, textOf: (limit: number) => string): string | null =>
  limit === 0 ? null : textOf(limit);

function Limits({ tree, id }: { tree: Tree; id: string }) {
  const { limits, charged } = tree;
  return (
    <dl className="headline tree-limits">
      <Facts
        of={{
          tree: tree.runId !== id && <RunLink id={tree.runId} />,
          policy: <Text value={tree.policy} />,
          'selected node': tree.selectedNode === null ? '–' : `node ${tree.selectedNode}`,
          [`final ${tree.primary}`]: <Score value={tree.finalScore} />,
          nodes: of(formatCount(charged.nodes), formatCount(limits.nodes)),
          validations: of(formatCount(charged.validations), formatCount(limits.validations)),
          cost: of(formatUsd(charged.costUsd), limits.costUsd === null ? null : formatUsd(limits.costUsd)),
          tokens: of(formatCount(charged.tokens), unlessNone(limits.tokens, formatCount)),
          time: of(
            formatDuration(1000 * charged.seconds),
            unlessNone(limits.seconds, (seconds) => formatDuration(1000 * seconds)),
          ),
          'stopped by': tree.stopped === null ? 'running' : STOP_WORDS[tree.stopped],
        }}
      />
    </dl>
  );
}

const STATES = {
  open: ['info', '○'],
  scored: ['good', '●'],
  failed: ['warn', '■'],
  lost: ['quiet', '□'],
} as const;

function Nodes({ tree, id }: { tree: Tree; id: string }) {
  const rows = inOrder(tree.nodes);
  const state = ({ status }: Node) => STATES[status];
  return (
    <Table
      label="Nodes of the tree"
      rows={rows}
      rowKey={({ node }) => node.node}
      columns={[
        {
          title: 'Node',
          names: true,
          cell: ({ node, depth }) => (
            <span style={{ paddingLeft: `${Math.min(depth, 12)}em` }}>
              {depth > 0 && <span className="muted">└ </span>}
              {node.node}
              {node.node === tree.selectedNode && (
                <>
                  {' '}
                  <Badge tone="good" mark="★">
                    selected
                  </Badge>
                </>
              )}
            </span>
          ),
        },
        {
          title: 'What',
          cell: ({ node }) =>
            node.secondParent === null ? node.operator : `${node.operator} with ${node.secondParent}`,
        },
        {
          title: 'Status',
          cell: ({ node }) => (
            <Badge tone={state(node)[0]} mark={state(node)[1]}>
              {words(node.status)}
            </Badge>
          ),
        },
        { title: <Text value={tree.primary} />, right: true, cell: ({ node }) => <Score value={node.score} /> },
        { title: 'Steps', right: true, cell: ({ node }) => formatCount(node.steps) },
        { title: 'Cost', right: true, cell: ({ node }) => <Money usd={node.spentUsd} /> },
        {
          title: 'Tokens',
          right: true,
          cell: ({ node }) => (node.spentTokens === null ? '–' : <Tokens amount={node.spentTokens} />),
        },
        {
          title: 'Took',
          right: true,
          cell: ({ node }) => <Duration ms={node.spentSeconds === null ? null : 1000 * node.spentSeconds} />,
        },
        {
          title: 'Run',
          cell: ({ node }) =>
            node.runId === id ? <span className="muted">this run</span> : <RunLink id={node.runId} />,
        },
        {
          title: 'Ended by',
          cell: ({ node }) => <RunState run={{ status: node.runStatus, endReason: node.endReason }} />,
        },
      ]}
    />
  );
}
