import type { Remark } from '../../../domain/views/imports.js';
/** Remarks of one kind on one file beyond these are counted. */
const EACH = 5;

/** For one source. A file with a thousand gaps takes a few lines. */
export class Remarks {
  readonly #list: Remark[] = [];
  readonly #further = new Map<string, Remark & { count: number }>();
  /** Listed once each, by subject. */
  readonly #counted = new Map<string, { remark: Remark; count: number }>();

  constructor(readonly source: string) {}

  odd(file: string | null, key: string, kind: string, message: string): void {
    const remark: Remark = { source: this.source, file, key, level: 'warning', kind, message };
    if (this.#list.filter((one) => one.kind === kind && one.file === file).length < EACH) {
      this.#list.push(remark);
      return;
    }
    const group = `${kind} ${file ?? ''}`;
    const known = this.#further.get(group);
    this.#further.set(group, { ...remark, count: (known?.count ?? 0) + 1 });
  }

  /** A remark that occurs at every step: one entry, at its first place, with a count by `about`. */
  counted(file: string | null, key: string, kind: string, message: string, about = ''): void {
    const group = `${kind} ${file ?? ''} ${about}`;
    const known = this.#counted.get(group);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const before = this.#list.length;
    this.odd(file, key, kind, message);
    const remark = this.#list[before];
    if (remark !== undefined) this.#counted.set(group, { remark, count: 1 });
  }

  failed(file: string | null, key: string, kind: string, message: string): void {
    this.#list.push({ source: this.source, file, key, level: 'error', kind, message });
  }

  all(): Remark[] {
    const often = new Map([...this.#counted.values()].map(({ remark, count }) => [remark, count]));
    const listed = this.#list.map((remark): Remark => {
      const count = often.get(remark) ?? 1;
      return count === 1 ? remark : { ...remark, message: `${remark.message} (${count} times in the file)` };
    });
    const further = [...this.#further.values()].map(({ count, ...remark }): Remark => ({
      ...remark,
      key: '',
      message: `and ${count} more of this kind, the last at ${remark.key}`,
    }));
    return [...listed, ...further];
  }
}
