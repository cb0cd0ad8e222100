import type { ImageType } from '../../domain/model/images.js';
import type { ImageLog } from '../../domain/ports/record/images.js';
import type { Statements } from '../statements.js';

export function imageStore(run: Statements): ImageLog {
  return {
    images: (runId, ids) =>
      run<{ id: string; type: ImageType; bytes: Buffer }>(
        'images',
        'select image_id as id, type, bytes from images where run_id = $1 and image_id = any($2::text[])',
        [runId, ids],
      ),
  };
}
