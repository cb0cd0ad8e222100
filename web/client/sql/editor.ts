// CodeMirror, loaded on first use.
import { autocompletion, type Completion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql, type SQLNamespace } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Answer } from '../../api/index.js';
import { plainText } from '../parts/text.js';

type Schema = Answer<'sqlSchema'>;

export interface Editor {
  set: (text: string) => void;
  insert: (text: string) => void;
  complete: (schema: Schema) => void;
  destroy: () => void;
}

const info = (comment: string | null): Partial<Completion> => (comment === null ? {} : { info: plainText(comment) });

function namespace({ relations }: Schema): SQLNamespace {
  return Object.fromEntries(
    relations.map(({ name, kind, comment, columns }) => [
      name,
      {
        self: { label: name, type: 'type', detail: kind, ...info(comment) },
        children: columns.map((column) => ({
          label: column.name,
          type: 'property',
          detail: column.type,
          ...info(column.comment),
        })),
      },
    ]),
  );
}

const languageOf = (schema: Schema | null) => {
  const support = sql({ dialect: PostgreSQL, ...(schema !== null && { schema: namespace(schema) }) });
  const functions = schema?.functions ?? [];
  return [
    support,
    support.language.data.of({
      autocomplete: (context: { matchBefore: (what: RegExp) => { from: number } | null; explicit: boolean }) => {
        const word = context.matchBefore(/\w+/);
        if (word === null && !context.explicit) return null;
        return {
          from: word?.from ?? 0,
          options: functions.map(({ name, arguments: taken, comment }) => ({
            label: name,
            type: 'function',
            detail: `(${taken})`.slice(0, 60),
            apply: `${name}(`,
            ...info(comment),
          })),
        };
      },
    }),
  ];
};

const color = (name: string) => ({ color: `var(--${name})` });
const highlight = HighlightStyle.define([
  { tag: tags.keyword, ...color('series-0'), fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], ...color('series-2') },
  { tag: [tags.number, tags.bool, tags.null], ...color('series-3') },
  { tag: tags.comment, ...color('muted'), fontStyle: 'italic' },
  { tag: tags.typeName, ...color('series-4') },
]);
const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--box)', color: 'var(--ink)', fontSize: 'inherit', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--chosen)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--page)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '28rem', padding: '0.4rem 0.6rem' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
});

/** Browsers keep the replaced text's style inline, which the content policy refuses. */
const typedOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/** Ctrl-Enter runs, Tab leaves. */
export function openEditor(
  parent: HTMLElement,
  {
    text,
    schema,
    onChange,
    onRun,
  }: { text: string; schema: Schema | null; onChange: (text: string) => void; onRun: () => void },
): Editor {
  // The content policy admits styles with the page's nonce.
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
  const stateOf = (doc: string, known: Schema | null): EditorState =>
    EditorState.create({
      doc,
      extensions: [
        EditorView.cspNonce.of(nonce),
        keymap.of([
          { key: 'Mod-Enter', run: () => (onRun(), true) },
          ...completionKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        typedOver,
        history(),
        lineNumbers(),
        drawSelection(),
        bracketMatching(),
        autocompletion({ activateOnTyping: true }),
        languageOf(known),
        syntaxHighlighting(highlight),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'Query', spellcheck: 'false' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString());
        }),
      ],
    });
  const view = new EditorView({ parent, state: stateOf(text, schema) });
  return {
    set: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    insert(piece) {
      view.dispatch(view.state.replaceSelection(piece));
      view.focus();
    },
    complete: (known) => view.setState(stateOf(view.state.doc.toString(), known)),
    destroy: () => view.destroy(),
  };
}
