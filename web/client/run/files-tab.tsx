import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { RunSearch } from '../address/pages.js';
import { document as asked, fileBytes } from '../data/queries.js';
import { Diff } from '../parts/diff.js';
import { bytes } from '../parts/format.js';
import { MOST_BYTES, pictureType, textOf } from '../parts/file-text.js';
import { Empty, Shown } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';
import { Score } from '../parts/values.js';
import { save } from '../parts/save.js';
import { Snapshots } from './snapshots.js';

/** What was taken out of the workspace: files by step, and between any two steps. */
export function FilesTab({ id }: { id: string }) {
  const files = useQuery(asked('files', { id }, {}));
  const search = useSearch({ from: '/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const change = (more: Partial<Record<'files' | 'since' | 'file', unknown>>): void =>
    void navigate({ search: (now) => ({ ...now, ...more }) as RunSearch, replace: true });
  return (
    <Shown of={files} what="files">
      {({ submissions, snapshots }) => {
        if (submissions.length === 0 && snapshots.length === 0)
          return (
            <Empty title="No files were taken">
              <p>Files are taken when the agent validates or submits.</p>
            </Empty>
          );
        // A link may name the step alone.
        const ofStep = submissions.findLastIndex(({ step }) => step === search.step);
        const at = Math.min(
          search.files ?? (search.file !== undefined && ofStep >= 0 ? ofStep + 1 : submissions.length),
          submissions.length,
        );
        const chosen = submissions[at - 1];
        const base = search.since === undefined ? undefined : submissions[search.since - 1];
        const known = new Map((base?.files ?? []).map((file) => [file.path, file.sha256]));
        const now = new Map((chosen?.files ?? []).map((file) => [file.path, file.sha256]));
        const open = (chosen?.files ?? []).find((file) => file.path === search.file) ?? chosen?.files?.[0];
        const name = (index: number): string => `step ${submissions[index]!.step}, ${submissions[index]!.kind}`;
        return (
          <>
            {submissions.length > 0 && (
              <div className="toolbar">
                <label>
                  Files of{' '}
                  <select value={at} onChange={(event) => change({ files: Number(event.currentTarget.value) })}>
                    {submissions.map((_, i) => (
                      <option key={i} value={i + 1}>
                        {name(i)}
                      </option>
                    ))}
                  </select>
                </label>
                <label>
                  changed since{' '}
                  <select
                    value={search.since ?? ''}
                    onChange={(event) =>
                      change({
                        since: event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value),
                      })
                    }
                  >
                    <option value="">–</option>
                    {submissions.map((_, i) => (
                      <option key={i} value={i + 1}>
                        {name(i)}
                      </option>
                    ))}
                  </select>
                </label>
                {chosen !== undefined && (
                  <span className="muted">
                    <Link to="/runs/$id" params={{ id }} search={{ step: chosen.step }}>
                      to the step
                    </Link>
                    , score <Score value={chosen.score} />
                  </span>
                )}
              </div>
            )}
            {chosen !== undefined &&
              (chosen.files === null ? (
                <p className="muted">
                  {chosen.sha256 === null
                    ? 'There was nothing to take'
                    : 'Its files are pruned, or in a store that this machine cannot reach'}
                  {chosen.missing !== null && chosen.missing.length > 0 && (
                    <>
                      : missing <Text value={chosen.missing.join(', ')} />
                    </>
                  )}
                  .
                </p>
              ) : base !== undefined ? (
                [...new Set([...known.keys(), ...now.keys()])]
                  .filter((one) => known.get(one) !== now.get(one))
                  .sort()
                  .map((one) => (
                    <Diff key={one} path={one} before={known.get(one) ?? null} after={now.get(one) ?? null} />
                  ))
              ) : (
                <div className="files">
                  <ul aria-label="Files">
                    {chosen.files.map((file) => (
                      <li key={file.path}>
                        <button
                          type="button"
                          className="plain"
                          aria-pressed={file.path === open?.path}
                          onClick={() => change({ file: file.path })}
                        >
                          <Text value={file.path} />
                        </button>
                      </li>
                    ))}
                  </ul>
                  {open !== undefined && <FileView key={open.sha256} path={open.path} sha256={open.sha256} />}
                </div>
              ))}
            {snapshots.length > 0 && <Snapshots id={id} snapshots={snapshots} />}
          </>
        );
      }}
    </Shown>
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
              <code title={sha256}>{sha256.slice(0, 12)}</code> · {bytes(content.length)}
              {content.length > MOST_BYTES && text !== null && ` · the first ${bytes(MOST_BYTES)} are shown`}{' '}
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
              <Picture bytes={content} type={picture} name={path} />
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

/** By its bytes a picture, and not of more points than a browser can bear. */
function Picture({ bytes: content, type, name }: { bytes: Uint8Array; type: string; name: string }) {
  const url = useMemo(
    () => URL.createObjectURL(new Blob([content as Uint8Array<ArrayBuffer>], { type })),
    [content, type],
  );
  const [large, setLarge] = useState(false);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  if (large) return <p className="muted">The picture has more than 25 million points; download it instead.</p>;
  return (
    <img
      src={url}
      alt={`file ${name}`}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        naturalWidth * naturalHeight > 25e6 && setLarge(true)
      }
    />
  );
}
