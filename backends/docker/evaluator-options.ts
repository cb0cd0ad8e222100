import type Docker from 'dockerode';

export interface DockerEvaluatorOptions {
  docker: Docker;
  imageRef: string;
  /** The engine's id of that image, stored with each evaluation. */
  imageDigest?: string;
  /** Folder of made-up machine figures; absent: the engine cannot mount our files. */
  figuresDir?: string;
  /** Identifies this home, since homes share an engine. */
  homeTag: string;
}
