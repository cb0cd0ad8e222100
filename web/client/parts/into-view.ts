/** Scrolls a row until one of its parts is visible; returns a cleanup. */
export function intoView(row: HTMLElement | null, part: string): () => void {
  const chosen = row?.querySelector<HTMLElement>(part);
  if (row === null || chosen == null) return () => undefined;
  // Measuring now would force a layout of an unfinished page.
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
