import { useSyncExternalStore } from 'react';
import { isStatic } from '../static/form.js';

/** Kept in this browser; a page's view is in its address instead. */
export interface Preferences {
  scheme: 'system' | 'light' | 'dark';
  density: 'dense' | 'comfortable';
  /** Shortcuts of single letters are on. */
  letters: boolean;
}

const KEY = 'bench-preferences';
const DEFAULTS: Preferences = { scheme: 'system', density: 'dense', letters: true };

function read(): Preferences {
  // An export keeps nothing in the browser.
  if (isStatic) return DEFAULTS;
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Record<keyof Preferences, unknown>>;
    return {
      scheme: found.scheme === 'light' || found.scheme === 'dark' ? found.scheme : 'system',
      density: found.density === 'comfortable' ? 'comfortable' : 'dense',
      letters: found.letters !== false,
    };
  } catch {
    return DEFAULTS;
  }
}

let now = read();
const listeners = new Set<() => void>();

export function applyPreferences(): void {
  const root = document.documentElement;
  if (now.scheme === 'system') delete root.dataset['scheme'];
  else root.dataset['scheme'] = now.scheme;
  root.dataset['density'] = now.density;
}

export function setPreferences(more: Partial<Preferences>): void {
  now = { ...now, ...more };
  if (!isStatic) localStorage.setItem(KEY, JSON.stringify(now));
  applyPreferences();
  for (const one of listeners) one();
}

export const preferences = (): Preferences => now;

export const usePreferences = (): Preferences =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
