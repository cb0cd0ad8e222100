import { useMutation } from '@tanstack/react-query';
import type { Answer } from '../../api/index.js';
import { ask } from '../data/ask.js';
import { Time } from '../parts/clock.js';
import { formatBytes } from '../../../domain/text/format.js';
import { download } from '../parts/save.js';
import { Table } from '../parts/table.js';
import { Failure } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { isStatic } from '../static/form.js';

type Snapshot = Answer<'files'>['snapshots'][number];

/** Snapshots to continue from; each archive to download. */
export function Snapshots({ id, snapshots }: { id: string; snapshots: readonly Snapshot[] }) {
  // Requested on click: the link is valid for minutes.
  const fetching = useMutation({
    mutationFn: (step: number) => ask('snapshotLink', { id, step: String(step) }, {}),
    onSuccess: ({ url }) => download(url),
  });
  return (
    <>
      <h2>Snapshots</h2>
      <Table
        rows={snapshots}
        rowKey={(snapshot) => snapshot.step}
        columns={[
          { title: 'Step', cell: (snapshot) => snapshot.step },
          { title: 'Size', right: true, cell: (snapshot) => formatBytes(snapshot.bytes) },
          { title: 'SHA-256', cell: (snapshot) => <Where snapshot={snapshot} /> },
          { title: 'At', cell: (snapshot) => <Time at={snapshot.at} /> },
          {
            title: 'Archive',
            cell: ({ step, sha256 }) =>
              sha256 !== null &&
              !isStatic && (
                <button
                  type="button"
                  className="plain"
                  aria-label={`download the snapshot of step ${step}`}
                  disabled={fetching.isPending}
                  onClick={() => fetching.mutate(step)}
                >
                  download
                </button>
              ),
          },
        ]}
      />
      {fetching.isError && <Failure error={fetching.error} />}
    </>
  );
}

function Where({ snapshot: { sha256, host } }: { snapshot: Snapshot }) {
  if (sha256 !== null) return <code>{sha256}</code>;
  return (
    <span className="muted">
      on a disk of <Text value={host ?? 'a host'} />
    </span>
  );
}
