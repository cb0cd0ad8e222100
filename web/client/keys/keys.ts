import { useEffect, useRef, useSyncExternalStore } from 'react';
import { preferences } from '../shell/preferences.js';

/** `g r` is a sequence, `Ctrl-K` a chord. */
export interface Binding {
  keys: string;
  does: string;
  /** False: the browser handles the key. */
  run: () => unknown;
}

interface Group {
  title: string;
  bindings: readonly Binding[];
}

const groups = new Set<{ current: Group }>();
const listeners = new Set<() => void>();
let version = 0;
function changed(): void {
  version++;
  for (const one of listeners) one();
}

export function useKeyGroups(): readonly Group[] {
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => version,
  );
  return [...groups].map(({ current }) => current);
}

export function useKeys(title: string, bindings: readonly Binding[]): void {
  const group = useRef<Group>({ title, bindings });
  useEffect(() => {
    group.current = { title, bindings };
  });
  useEffect(() => {
    groups.add(group);
    changed();
    return () => {
      groups.delete(group);
      changed();
    };
  }, []);
}

const PREFIX_MS = 1200;
let prefix: { key: string; at: number } | null = null;

const inField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The last shown handler first: parts before their page. Letters do not fire in fields. */
export function listenToKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const chord = event.ctrlKey || event.metaKey;
    const pressed = chord ? `Ctrl-${event.key.toUpperCase()}` : event.key;
    if (!chord && (inField(event.target) || !preferences().letters)) return;
    if (!chord && document.querySelector('dialog[open]') !== null) return;
    const after = prefix !== null && event.timeStamp - prefix.at < PREFIX_MS ? `${prefix.key} ${pressed}` : null;
    prefix = null;
    const all = [...groups].reverse().flatMap(({ current }) => current.bindings);
    const found =
      (after === null ? undefined : all.find(({ keys }) => keys === after)) ?? all.find(({ keys }) => keys === pressed);
    if (found !== undefined) {
      if (found.run() !== false) event.preventDefault();
    } else if (all.some(({ keys }) => keys.startsWith(`${pressed} `))) prefix = { key: pressed, at: event.timeStamp };
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}
