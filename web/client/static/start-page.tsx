import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { plural } from '../../../domain/text/format.js';
import { Shown } from '../parts/states.js';
import { useTitle } from '../parts/title.js';
import { exportIndex } from './packs.js';

/** Replaces pages/now-page.tsx in an export: lists its content. */
export function NowPage() {
  useTitle('Export');
  const index = useQuery({ queryKey: ['index'], queryFn: exportIndex });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Export</h1>
      </div>
      <Shown of={index} what="what is in it">
        {({ version, batches, runs, leaderboard, observations, files, redacted }) => (
          <>
            <ul>
              {batches.length > 0 && (
                <li>
                  <Link to="/batches">{plural(batches.length, 'batch', 'batches')}</Link>
                </li>
              )}
              <li>
                <Link to="/runs">{plural(runs, 'run')}</Link>
              </li>
              {leaderboard !== null && (
                <li>
                  <Link to="/leaderboard" search={leaderboard}>
                    Leaderboard
                  </Link>
                </li>
              )}
            </ul>
            <p className="muted">
              Written by bench {version}. Prompts of single steps, search and SQL need <code>bench serve</code>.
            </p>
            {!observations && <p>The output of commands is omitted.</p>}
            {!files && <p>Submitted files are omitted.</p>}
            {redacted > 0 && <p>Parts of {plural(redacted, 'text')} are redacted.</p>}
          </>
        )}
      </Shown>
    </div>
  );
}
