import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Answer } from '../../api/index.js';
import { formatCount, plural } from '../../../domain/text/format.js';
import { Grid, type GridColumn } from '../parts/grid.js';
import { csvOf, save } from '../parts/save.js';
import { Text, TextBlock } from '../parts/text.js';
import { BatchLink, RunLink } from '../parts/values.js';
import { Dialog } from '../shell/dialog.js';
import { ChartOfResult } from './chart-of-result.js';

type Result = Answer<'sql'>;
interface Row {
  place: number;
  values: readonly unknown[];
}

const ID = /^([br])-[0-9a-hjkmnp-tv-z]{26}$/;
const SHOWN = 300;
/** Rows that determine the widths. */
const LOOKED_AT = 200;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span className="none">null</span>;
  const text = textOf(value);
  const kind = ID.exec(text)?.[1];
  if (kind === 'r') return <RunLink id={text} />;
  if (kind === 'b') return <BatchLink id={text} />;
  return text.length <= SHOWN ? (
    <Text value={text} />
  ) : (
    <>
      <span className="muted">{formatCount(text.length)} characters: </span>
      <Text value={text.slice(0, SHOWN)} />…
    </>
  );
}

/** A row opens with its whole texts. */
export function QueryResult({ result, ms }: { result: Result; ms: number }) {
  const { columns: names, rows: found, truncated } = result;
  const [open, setOpen] = useState<Row | null>(null);
  const { chart } = useSearch({ from: '/sql' });
  const [drawn, setDrawn] = useState(chart !== undefined);
  const rows = useMemo(() => found.map((values, place): Row => ({ place, values })), [found]);
  const columns = useMemo(
    () =>
      names.map((name, i): GridColumn<Row> => {
        const some = found.slice(0, LOOKED_AT).map((values) => values[i]);
        const numbers = some.every((value) => value === null || (value !== '' && !Number.isNaN(Number(value))));
        const longest = Math.max(
          name.length,
          ...some.map((value) => (ID.test(String(value)) ? 10 : value === null ? 4 : textOf(value).length)),
        );
        return {
          key: String(i),
          title: <Text value={name} />,
          width: `minmax(${Math.min(48, Math.max(5, longest + 1))}ch, 1fr)`,
          right: numbers && some.some((value) => value !== null) && !some.some((value) => typeof value === 'boolean'),
          cell: ({ values }) => <Cell value={values[i]} />,
        };
      }),
    [names, found],
  );
  const wide = columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0) + 2, 4);
  return (
    <>
      <div className="page-head result-head">
        <span role="status">
          {truncated ? `the first ${plural(found.length, 'row')}, there are more` : plural(found.length, 'row')}
          <span className="muted"> in {(ms / 1000).toFixed(2)} s</span>
        </span>
        <span className="grow" />
        <button type="button" className="plain" aria-pressed={drawn} onClick={() => setDrawn(!drawn)}>
          Chart
        </button>
        <button type="button" className="plain" onClick={() => save('query.csv', csvOf(names, found), 'text/csv')}>
          CSV
        </button>
        <button
          type="button"
          className="plain"
          onClick={() => save('query.json', `${JSON.stringify(result, null, 2)}\n`, 'application/json')}
        >
          JSON
        </button>
      </div>
      {drawn && <ChartOfResult result={result} />}
      {rows.length > 0 && (
        <Grid
          label={`What the query found, ${plural(rows.length, 'row')}`}
          columns={columns}
          rows={rows}
          keyOf={({ place }) => String(place)}
          total={rows.length}
          onOpen={setOpen}
          minWidth={`${wide}ch`}
        />
      )}
      {open !== null && (
        <Dialog title={`Row ${open.place + 1}`} onClose={() => setOpen(null)} wide>
          {names.map((name, i) => (
            <section key={i}>
              <h3>
                <Text value={name} />
              </h3>
              {open.values[i] === null || open.values[i] === undefined ? (
                <span className="none">null</span>
              ) : (
                <TextBlock source={textOf(open.values[i])} kind="text" lines={40} label={`value of ${name}`} />
              )}
            </section>
          ))}
        </Dialog>
      )}
    </>
  );
}
