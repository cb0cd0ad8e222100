const KEY = 'bench-token';

/** From the link's fragment, which no server or log sees, into this browser's store. */
export function takeToken(): void {
  const found = /(?:^#|&)token=([^&]+)/.exec(location.hash);
  if (found === null) return;
  localStorage.setItem(KEY, decodeURIComponent(found[1]!));
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}

export const token = (): string | null => localStorage.getItem(KEY);

export const setToken = (value: string): void => localStorage.setItem(KEY, value);
