import type { Played, PlayedList } from '../../views/subjects.js';

export type SubjectKind = 'task' | 'model' | 'agent';

/** Subjects that were played. */
export interface SubjectPages {
  playedList(kind: SubjectKind): Promise<PlayedList>;
  playedSubject(kind: SubjectKind, name: string): Promise<Played>;
}
