/** ISO 8601, local time without a zone, or seconds since 1970. Null: none of these. */
export function timeOfText(text: string): Date | null {
  if (!/^\d{9,11}$|^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return null;
  const time = new Date(text.includes('-') ? text : Number(text) * 1000);
  return Number.isNaN(time.getTime()) ? null : time;
}
