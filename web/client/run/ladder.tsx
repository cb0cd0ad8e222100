import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { ChangedFiles } from '../parts/diff.js';
import { fixed } from '../parts/format.js';
import { Shown } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Score, StepLink } from '../parts/values.js';

type Taken = Answer<'files'>['submissions'][number];

/** Each scored submission next to its changes since the previous one. */
export function Ladder({ id, direction }: { id: string; direction: 'maximize' | 'minimize' }) {
  const files = useQuery(asked('files', { id }, {}));
  return (
    <>
      <h2>Score ladder</h2>
      <Shown of={files} what="submitted files">
        {({ submissions }) => {
          const taken = submissions.filter(
            ({ kind, sha256, missing }) => kind !== 'baseline' && (sha256 !== null || missing !== null),
          );
          if (taken.length === 0) return <p className="muted">No submitted files are stored for this run.</p>;
          return (
            <ol className="ladder">
              {taken.map((one, i) => (
                <Rung
                  key={`${one.step} ${one.kind}`}
                  id={id}
                  one={one}
                  before={taken[i - 1] ?? null}
                  direction={direction}
                />
              ))}
            </ol>
          );
        }}
      </Shown>
    </>
  );
}

function Rung({
  id,
  one,
  before,
  direction,
}: {
  id: string;
  one: Taken;
  before: Taken | null;
  direction: 'maximize' | 'minimize';
}) {
  const gain = one.score === null || before?.score == null ? null : one.score - before.score;
  const better =
    gain === null || Number(fixed(Math.abs(gain), 4)) === 0 ? null : direction === 'maximize' ? gain > 0 : gain < 0;
  return (
    <li id={`rung-${one.step}`}>
      <div className="rung-head">
        <StepLink id={id} step={one.step} />
        <span className="muted">{one.kind}</span>
        <strong>
          <Score value={one.score} />
        </strong>
        {gain !== null && (
          <span className={better === null ? 'muted' : better ? 'good' : 'bad'}>
            {better === null ? 'equal' : better ? '▲ better' : '▼ worse'} by {fixed(Math.abs(gain), 4)}
          </span>
        )}
        {one.refused !== null && (
          <span className="bad">
            refused: <Text value={one.refused} />
          </span>
        )}
        {one.missing !== null && one.missing.length > 0 && (
          <span className="bad">
            missing: <Text value={one.missing.join(', ')} />
          </span>
        )}
      </div>
      {one.files === null && one.sha256 !== null && (
        <p className="muted">Its files are pruned, or in a store that this machine cannot reach.</p>
      )}
      <ChangedFiles
        before={before?.files ?? []}
        after={one.files ?? []}
        most={3}
        none={one.files === null ? undefined : 'The same files as before.'}
      />
    </li>
  );
}
