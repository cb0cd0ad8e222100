/** Moves a row that scrolls by itself until one of its parts is whole; nothing else moves. */
export function intoView(row: HTMLElement | null, part: string): void {
  const chosen = row?.querySelector<HTMLElement>(part);
  if (row === null || chosen == null) return;
  const [around, own] = [row.getBoundingClientRect(), chosen.getBoundingClientRect()];
  if (own.left < around.left) row.scrollLeft += own.left - around.left;
  else if (own.right > around.right) row.scrollLeft += own.right - around.right;
}
