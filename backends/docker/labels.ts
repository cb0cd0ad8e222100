export const HOME_LABEL = 'bench.home';
export const RUN_LABEL = 'bench.run';
export const EPOCH_LABEL = 'bench.epoch';
/** On evaluators, instead of run and epoch. */
export const EVALUATION_LABEL = 'bench.evaluation';
/** On containers that install packages: the image's kind. They belong to no home. */
export const LAYER_LABEL = 'bench.layer';
export const LAYER_NAME = 'bench-layer-';
export const MAKER_LABEL = 'bench.maker';
export const UNTIL_LABEL = 'bench.until';
