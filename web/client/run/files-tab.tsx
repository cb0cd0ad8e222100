import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Answer } from '../../api/index.js';
import { useChange } from '../address/change.js';
import type { RunSearch } from '../address/pages.js';
import { document as asked, fileBytes } from '../data/queries.js';
import { ChangedFiles } from '../parts/diff.js';
import { Choice } from '../parts/fields.js';
import { formatBytes } from '../../../domain/text/format.js';
import { MOST_BYTES, pictureType, textOf } from '../parts/file-text.js';
import { Picture } from '../parts/picture.js';
import { Empty, Shown } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';
import { Score, StepLink } from '../parts/values.js';
import { save } from '../parts/save.js';
import { Snapshots } from './snapshots.js';

type Submission = Answer<'files'>['submissions'][number];
type File = NonNullable<Submission['files']>[number];

/** Submitted files by step, and their changes between any two steps. */
export function FilesTab({ id }: { id: string }) {
  const files = useQuery(asked('files', { id }, {}));
  const search = useSearch({ from: '/runs/$id' });
  return (
    <Shown of={files} what="files">
      {({ submissions, snapshots }) => {
        if (submissions.length === 0 && snapshots.length === 0)
          return (
            <Empty title="No files were taken">
              <p>Files are taken when the agent validates or submits.</p>
            </Empty>
          );
        const at = placeOf(submissions, search);
        const chosen = submissions[at - 1];
        const base = search.since === undefined ? undefined : submissions[search.since - 1];
        return (
          <>
            {submissions.length > 0 && <Chooser id={id} submissions={submissions} at={at} />}
            {chosen !== undefined &&
              (chosen.files === null ? (
                <Untaken of={chosen} />
              ) : base !== undefined ? (
                <ChangedFiles before={base.files ?? []} after={chosen.files} />
              ) : (
                <Files files={chosen.files} />
              ))}
            {snapshots.length > 0 && <Snapshots id={id} snapshots={snapshots} />}
          </>
        );
      }}
    </Shown>
  );
}

/** From one. A link may name only the step; default: the last. */
function placeOf(submissions: readonly Submission[], { files, file, step: wanted }: RunSearch): number {
  const ofStep = file === undefined ? -1 : submissions.findLastIndex(({ step }) => step === wanted);
  return Math.min(files ?? (ofStep >= 0 ? ofStep + 1 : submissions.length), submissions.length);
}

function Chooser({ id, submissions, at }: { id: string; submissions: readonly Submission[]; at: number }) {
  const { since } = useSearch({ from: '/runs/$id' });
  const change = useChange('/runs/$id');
  const all = submissions.map(({ step, kind }, i) => [i + 1, `step ${step}, ${kind}`] as const);
  const chosen = submissions[at - 1];
  return (
    <div className="toolbar">
      <Choice label="Files of" value={at} options={all} onChange={(files) => change({ files }, true)} />
      <Choice
        label="changed since"
        value={since}
        options={[[undefined, '–'], ...all]}
        onChange={(one) => change({ since: one }, true)}
      />
      {chosen !== undefined && (
        <span className="muted">
          <StepLink id={id} step={chosen.step}>
            to the step
          </StepLink>
          , score <Score value={chosen.score} />
        </span>
      )}
    </div>
  );
}

const Untaken = ({ of: { sha256, missing } }: { of: Submission }) => (
  <p className="muted">
    {sha256 === null
      ? 'There was nothing to take'
      : 'Its files are pruned, or in a store that this machine cannot reach'}
    {missing !== null && missing.length > 0 && (
      <>
        : missing <Text value={missing.join(', ')} />
      </>
    )}
    .
  </p>
);

function Files({ files }: { files: readonly File[] }) {
  const search = useSearch({ from: '/runs/$id' });
  const change = useChange('/runs/$id');
  const open = files.find(({ path }) => path === search.file) ?? files[0];
  return (
    <div className="files">
      <ul aria-label="Files">
        {files.map(({ path }) => (
          <li key={path}>
            <button
              type="button"
              className="plain"
              aria-pressed={path === open?.path}
              onClick={() => change({ file: path }, true)}
            >
              <Text value={path} />
            </button>
          </li>
        ))}
      </ul>
      {open !== undefined && <FileView key={open.sha256} path={open.path} sha256={open.sha256} />}
    </div>
  );
}

function FileView({ path, sha256 }: { path: string; sha256: string }) {
  const file = useQuery(fileBytes(sha256));
  return (
    <Shown of={file} what="the file">
      {(content) => {
        const picture = pictureType(content);
        const text = picture === null ? textOf(content) : null;
        return (
          <div className="file">
            <p className="facts">
              <code title={sha256}>{sha256.slice(0, 12)}</code> · {formatBytes(content.length)}
              {content.length > MOST_BYTES && text !== null && ` · the first ${formatBytes(MOST_BYTES)} are shown`}{' '}
              <button
                type="button"
                className="plain"
                onClick={() =>
                  save(path.split('/').at(-1) ?? 'file', content as Uint8Array<ArrayBuffer>, 'application/octet-stream')
                }
              >
                download
              </button>
            </p>
            {picture !== null ? (
              <Picture bytes={content} type={picture} name={`file ${path}`} />
            ) : text === null ? (
              <p className="muted">Not text.</p>
            ) : (
              <TextBlock source={text} kind="text" lines={200} label={`file ${path}`} className="action" />
            )}
          </div>
        );
      }}
    </Shown>
  );
}
