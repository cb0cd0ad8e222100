/** The last shown list of runs, whose neighbours a run's page links. */
let ids: readonly string[] = [];

export const rememberList = (list: readonly string[]): void => {
  ids = list;
};

export function neighbours(
  id: string,
): { before: string | null; after: string | null; place: number; of: number } | null {
  const place = ids.indexOf(id);
  if (place === -1) return null;
  return { before: ids[place - 1] ?? null, after: ids[place + 1] ?? null, place: place + 1, of: ids.length };
}
