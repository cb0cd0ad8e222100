import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { formatScore } from '../../../domain/text/format.js';
import { layOut, lineOf, type Placed, type Tree } from './layout.js';

const COLUMN = 112;
const ROW = 32;
const SIDE = 20;
const RADIUS = 11;

/** The tree from left to right. The table below has the same for keyboards and screen readers. */
export function TreePicture({ tree }: { tree: Tree }) {
  const navigate = useNavigate();
  const { placed, rows, columns } = useMemo(() => layOut(tree.nodes), [tree.nodes]);
  const line = lineOf(tree);
  const x = ({ depth }: Placed): number => SIDE + depth * COLUMN;
  const y = ({ row }: Placed): number => SIDE + row * ROW;
  const curve = (from: Placed, to: Placed): string => {
    const middle = (x(from) + x(to)) / 2;
    return `M${x(from)},${y(from)} C${middle},${y(from)} ${middle},${y(to)} ${x(to)},${y(to)}`;
  };
  const all = [...placed.values()];
  const edges = (of: 'parent' | 'secondParent') =>
    all.flatMap((to) => {
      const from = placed.get(to.node[of] ?? -1);
      return from === undefined ? [] : [{ from, to }];
    });
  const [width, height] = [SIDE + columns * COLUMN, 2 * SIDE + (rows - 1) * ROW];
  return (
    <div className="tree-picture" role="region" aria-label="Picture of the tree" tabIndex={0}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {edges('secondParent').map(({ from, to }) => (
          <path key={`second parent ${to.node.node}`} className="second-parent" d={curve(from, to)} />
        ))}
        {edges('parent').map(({ from, to }) => (
          <path key={to.node.node} className={line.has(to.node.node) ? 'line' : undefined} d={curve(from, to)} />
        ))}
        {all.map((at) => (
          <g
            key={at.node.node}
            className={`${at.node.status} ${at.node.node === tree.selectedNode ? 'selected' : ''}`}
            transform={`translate(${x(at)} ${y(at)})`}
            onClick={() => void navigate({ to: '/runs/$id', params: { id: at.node.runId } })}
          >
            <title>{`node ${at.node.node}: ${at.node.operator}, ${at.node.status}`}</title>
            {at.node.node === tree.selectedNode && <circle className="ring" r={RADIUS + 3.5} />}
            {at.node.status === 'failed' || at.node.status === 'lost' ? (
              <rect x={-RADIUS + 1} y={-RADIUS + 1} width={2 * RADIUS - 2} height={2 * RADIUS - 2} rx={4} />
            ) : (
              <circle r={RADIUS} />
            )}
            <text className="name" dy="0.35em">
              {at.node.node}
            </text>
            <text className="score" x={RADIUS + 6} dy="0.35em">
              {at.node.status === 'scored' ? formatScore(at.node.score) : at.node.status}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}
