/** What containers and volumes carry: whose they are. */
export const HOME_LABEL = 'bench.home';
export const RUN_LABEL = 'bench.run';
export const EPOCH_LABEL = 'bench.epoch';
/** Of evaluators, instead of run and epoch. */
export const EVALUATION_LABEL = 'bench.evaluation';
/** Of containers in which a task's packages are installed: the image's kind. They belong to no home. */
export const LAYER_LABEL = 'bench.layer';
/** How their names begin. */
export const LAYER_NAME = 'bench-layer-';
/** See Mark. */
export const MAKER_LABEL = 'bench.maker';
export const UNTIL_LABEL = 'bench.until';
