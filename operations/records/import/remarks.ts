import type { Remark } from '../../../domain/views/imports.js';
/** So many remarks of one kind on one file are told one by one. */
const EACH = 5;

/** Of one source. A file with a thousand gaps is told in a few lines. */
export class Remarks {
  readonly #list: Remark[] = [];
  readonly #further = new Map<string, Remark & { count: number }>();

  constructor(readonly source: string) {}

  odd(file: string | null, key: string, kind: string, message: string): void {
    const remark: Remark = { source: this.source, file, key, level: 'odd', kind, message };
    if (this.#list.filter((one) => one.kind === kind && one.file === file).length < EACH) {
      this.#list.push(remark);
      return;
    }
    const group = `${kind} ${file ?? ''}`;
    const known = this.#further.get(group);
    this.#further.set(group, { ...remark, count: (known?.count ?? 0) + 1 });
  }

  failed(file: string | null, key: string, kind: string, message: string): void {
    this.#list.push({ source: this.source, file, key, level: 'failed', kind, message });
  }

  all(): Remark[] {
    const further = [...this.#further.values()].map(({ count, ...remark }): Remark => ({
      ...remark,
      key: '',
      message: `and ${count} more of this kind, the last at ${remark.key}`,
    }));
    return [...this.#list, ...further];
  }
}
