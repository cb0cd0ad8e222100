import { useEffect, useState } from 'react';
import { AskError } from '../data/ask.js';
import { TokenForm } from '../shell/token-form.js';
import { Page } from './page.js';
import { Text } from './text.js';

/** In the size of the content, and only if it takes a while. */
export function Loading({ rows = 8, what }: { rows?: number; what: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={`loading ${late ? 'late' : ''}`} role="status">
      <span className="unseen">loading {what}</span>
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} className="ghost" aria-hidden="true" />
      ))}
    </div>
  );
}

export const Empty = ({
  title,
  children,
  command,
}: {
  title: string;
  children?: React.ReactNode;
  command?: string;
}) => (
  <div className="state">
    <p className="state-title">{title}</p>
    {children}
    {command !== undefined && (
      <p>
        <code>{command}</code>
      </p>
    )}
  </div>
);

interface Failed {
  error: unknown;
  retry?: (() => void) | undefined;
  /** The page's subject, if nothing else of it is shown. */
  page?: string;
}

export function Failure({ error, retry, page }: Failed) {
  if (error instanceof AskError && error.status === 401) return <TokenForm />;
  const message = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof AskError ? error.remedy : null;
  const state = (
    <div className="state failed" role="alert">
      <p className="state-title">
        {error instanceof AskError && error.status === 403
          ? 'No access'
          : error instanceof AskError && error.status === 404
            ? 'Not found'
            : 'This failed'}
      </p>
      <p>
        <Text value={message} />
      </p>
      {remedy !== null && (
        <p className="muted">
          {remedy.split('`').map((part, i) =>
            i % 2 === 1 ? (
              <kbd key={i}>
                <Text value={part} />
              </kbd>
            ) : (
              <Text key={i} value={part} />
            ),
          )}
        </p>
      )}
      {retry !== undefined && (
        <p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
  return page === undefined ? state : <Page title={<Text value={page} />}>{state}</Page>;
}

interface Asked<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Data stays while more is loaded. */
export function Shown<Data>({
  of,
  what,
  rows,
  children,
}: {
  of: Asked<Data>;
  what: string;
  rows?: number;
  children: (data: Data) => React.ReactNode;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <Failure error={of.error} retry={() => void of.refetch()} />;
  return <Loading what={what} {...(rows === undefined ? {} : { rows })} />;
}

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

export const More = ({ of, children }: { of: Pages; children: React.ReactNode }) =>
  of.hasNextPage && (
    <button type="button" disabled={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {children}
    </button>
  );
