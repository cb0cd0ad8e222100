export interface PairRecord {
  /** models × models: wins of the row over the column; a tie is half a win. Diagonal: ignored. */
  wins: Float64Array;
  /** models × models, symmetric: how often both met. */
  meetings: Float64Array;
}

/** A small tie in each pair: without a loss strengths stay finite, without a meeting comparable. */
const TIE = 1e-3;
const [MOST, SAME] = [500, 1e-9];

/**
 * Each model's chance to beat a random other one: the mean over the others of w / (w + w'), where
 * the strengths w maximise the likelihood of the wins (Bradley and Terry 1952; minorise-maximise of
 * Hunter 2004). If all pairs met equally often, the likelihood equations make it the share of wins.
 * NaN: there is no other model. `start`: initial strengths, overwritten by the result.
 */
export function chancesOfWinning({ wins, meetings }: PairRecord, models: number, start?: Float64Array): Float64Array {
  const chances = new Float64Array(models).fill(NaN);
  if (models < 2) return chances;
  const met = meetings[1]!;
  if (met > 0 && metEqually(meetings, models, met)) {
    for (let model = 0; model < models; model++) chances[model] = won(wins, models, model) / (met * (models - 1));
    return chances;
  }
  const strengths = start ?? new Float64Array(models).fill(1);
  let before = new Float64Array(models);
  for (let turn = 0; turn < MOST; turn++) {
    const next = new Float64Array(models);
    let sum = 0;
    for (let model = 0; model < models; model++) {
      let weight = 0;
      let beaten = 0;
      for (let other = 0; other < models; other++) {
        if (other === model) continue;
        const both = strengths[model]! + strengths[other]!;
        weight += (meetings[model * models + other]! + TIE) / both;
        beaten += strengths[model]! / both;
      }
      chances[model] = beaten / (models - 1);
      next[model] = (won(wins, models, model) + (TIE / 2) * (models - 1)) / weight;
      sum += next[model]!;
    }
    if (chances.every((chance, i) => Math.abs(chance - before[i]!) < SAME)) break;
    before = chances.slice();
    for (let model = 0; model < models; model++) strengths[model] = (next[model]! * models) / sum;
  }
  return chances;
}

function metEqually(meetings: Float64Array, models: number, met: number): boolean {
  for (let model = 0; model < models; model++)
    for (let other = 0; other < models; other++)
      if (other !== model && Math.abs(meetings[model * models + other]! - met) > 1e-9) return false;
  return true;
}

function won(wins: Float64Array, models: number, model: number): number {
  let sum = 0;
  for (let other = 0; other < models; other++) if (other !== model) sum += wins[model * models + other]!;
  return sum;
}
