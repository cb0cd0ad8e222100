const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** What spreadsheets take for a formula, or strip before they look for one; the wide forms too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A name or an error that a spreadsheet would run gets an apostrophe before it; a number stays one. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
