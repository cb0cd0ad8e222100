const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** What spreadsheets take for a formula, or strip before they look for one; the wide forms too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Text that a spreadsheet would run as a formula gets an apostrophe before it; numbers do not. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
