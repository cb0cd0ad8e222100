import { useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Answer } from '../../api/index.js';
import type { Editor } from './editor.js';

export interface QueryBoxHandle {
  set: (text: string) => void;
  insert: (text: string) => void;
}

/** A plain field until, or unless, the editor is loaded. */
export function QueryBox({
  text,
  schema,
  onChange,
  onRun,
  handle,
}: {
  text: string;
  schema: Answer<'sqlSchema'> | undefined;
  onChange: (text: string) => void;
  onRun: () => void;
  handle: React.Ref<QueryBoxHandle>;
}) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const [ready, setReady] = useState(false);
  const latest = useRef({ text, schema, onChange, onRun });
  useEffect(() => {
    latest.current = { text, schema, onChange, onRun };
  });
  useEffect(() => {
    let gone = false;
    void import('./editor.js').then(
      ({ openEditor }) => {
        if (gone || box.current === null) return;
        const { text: now, schema: known } = latest.current;
        editor.current = openEditor(box.current, {
          text: now,
          schema: known ?? null,
          onChange: (next) => latest.current.onChange(next),
          onRun: () => latest.current.onRun(),
        });
        setReady(true);
      },
      () => undefined,
    );
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, []);
  useEffect(() => {
    if (schema !== undefined && ready) editor.current?.complete(schema);
  }, [schema, ready]);
  useImperativeHandle(handle, () => ({
    set: (next) => (editor.current === null ? onChange(next) : editor.current.set(next)),
    insert: (piece) => (editor.current === null ? onChange(`${text}${piece}`) : editor.current.insert(piece)),
  }));
  return (
    <div className="query-box">
      {!ready && (
        <textarea
          aria-label="Query"
          spellCheck={false}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
          }}
        />
      )}
      <div ref={box} className="query-editor" hidden={!ready} />
    </div>
  );
}
