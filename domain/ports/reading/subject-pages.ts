import type { Played, PlayedList } from '../../views/subjects.js';
import type { Trend } from '../../views/trend.js';

export type SubjectKind = 'task' | 'model' | 'agent';

/** Subjects that were played. */
export interface SubjectPages {
  playedList(kind: SubjectKind): Promise<PlayedList>;
  playedSubject(kind: SubjectKind, name: string): Promise<Played>;
  /** BenchError (not_found): no run of the model at the task counts. */
  trend(of: { task: string; model: string }): Promise<Trend>;
}
