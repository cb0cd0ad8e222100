import { useState } from 'react';
import type { Answer } from '../../api/index.js';
import { formatCount } from '../../../domain/text/format.js';
import { plainText, Text } from '../parts/text.js';

type Schema = Answer<'sqlSchema'>;

export function SchemaList({
  schema,
  onExample,
  onName,
}: {
  schema: Schema;
  onExample: (sql: string) => void;
  onName: (name: string) => void;
}) {
  const [part, setPart] = useState('');
  const has = (text: string | null): boolean => (text ?? '').toLowerCase().includes(part.toLowerCase());
  const relations = schema.relations.filter(
    ({ name, comment, columns }) =>
      part === '' || has(name) || has(comment) || columns.some((column) => has(column.name) || has(column.comment)),
  );
  const functions = schema.functions.filter(({ name, comment }) => part === '' || has(name) || has(comment));
  return (
    <div className="schema">
      <details>
        <summary>Queries to start from</summary>
        <ul className="examples">
          {schema.examples.map(({ title, sql }) => (
            <li key={title}>
              <button type="button" className="plain" onClick={() => onExample(sql)}>
                {title}
              </button>
            </li>
          ))}
        </ul>
      </details>
      <input
        type="search"
        data-search
        placeholder="table, column, comment"
        aria-label="Find in the schema"
        value={part}
        onChange={(event) => setPart(event.currentTarget.value)}
      />
      <h2>Tables and views</h2>
      {relations.map((relation) => (
        <Relation key={relation.name} of={relation} open={part !== '' && relations.length < 4} onName={onName} />
      ))}
      {functions.length > 0 && <h2>Functions</h2>}
      {functions.map((one) => (
        <Function key={`${one.name}(${one.arguments})`} of={one} onName={onName} />
      ))}
    </div>
  );
}

type OnName = (name: string) => void;

const Comment = ({ text }: { text: string | null }) =>
  text !== null && (
    <p className="muted">
      <Text value={text} />
    </p>
  );

function Relation({
  of: { name, kind, comment, rows, columns },
  open,
  onName,
}: {
  of: Schema['relations'][number];
  open: boolean;
  onName: OnName;
}) {
  return (
    <details className="relation" open={open}>
      <summary title={comment === null ? undefined : plainText(comment)}>
        <code>{name}</code>{' '}
        <span className="muted">{kind === 'view' ? 'view' : rows === null ? '' : formatCount(rows)}</span>
      </summary>
      <Comment text={comment} />
      <ul>
        <li>
          <button type="button" className="plain" onClick={() => onName(name)}>
            insert {name}
          </button>
        </li>
        {columns.map((column) => (
          <li key={column.name}>
            <button
              type="button"
              className="plain"
              title={column.comment === null ? undefined : plainText(column.comment)}
              onClick={() => onName(column.name)}
            >
              <code>{column.name}</code>
            </button>{' '}
            <span className="muted">
              {column.type}
              {column.nullable ? '' : ', never null'}
            </span>
            {column.comment !== null && (
              <span className="sub muted">
                <Text value={column.comment} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

const Function = ({
  of: { name, arguments: taken, returns, comment },
  onName,
}: {
  of: Schema['functions'][number];
  onName: OnName;
}) => (
  <details className="relation">
    <summary>
      <code>{name}</code>
    </summary>
    <Comment text={comment} />
    <p>
      <code>
        {name}({taken})
      </code>{' '}
      <span className="muted">gives {returns}</span>
    </p>
    <button type="button" className="plain" onClick={() => onName(`${name}(`)}>
      insert {name}
    </button>
  </details>
);
