/** Moves a row that scrolls by itself until one of its parts is whole; nothing else moves. Gives what lets go of it. */
export function intoView(row: HTMLElement | null, part: string): () => void {
  const chosen = row?.querySelector<HTMLElement>(part);
  if (row === null || chosen == null) return () => undefined;
  // Told where both are once they are laid out: to ask for it now would lay out a page that is still being made.
  const observer = new IntersectionObserver(
    ([seen]) => {
      observer.disconnect();
      const [own, around] = [seen?.boundingClientRect, seen?.rootBounds];
      if (own == null || around == null) return;
      if (own.left < around.left) row.scrollLeft += own.left - around.left;
      else if (own.right > around.right) row.scrollLeft += own.right - around.right;
    },
    { root: row },
  );
  observer.observe(chosen);
  return () => observer.disconnect();
}
