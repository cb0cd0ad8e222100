import { batchFileSchema, type BatchRequest, wholeRequest } from '../domain/requests/batch.js';
import { readYaml } from './yaml-file.js';

/** Throws a ConfigError that names line and key of each problem. */
export const loadBatchFile = (file: string): BatchRequest => wholeRequest(readYaml(file, batchFileSchema).value);
