/** An unusable file: its directory or line is skipped, the others continue. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
  constructor(
    readonly file: string,
    /** The place in it, `trajectory[3].action`; empty: the file as a whole. */
    readonly key: string,
    readonly kind:
      | 'truncated'
      | 'not_json'
      | 'wrong_encoding'
      | 'too_large'
      | 'unreadable'
      | 'wrong_type'
      | 'unknown_version'
      | 'unknown_kind'
      | 'missing_key'
      | 'not_a_number',
    message: string,
  ) {
    super(message);
  }
}
