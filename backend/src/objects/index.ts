export type { ObjectStore } from './port.ts';
export { createS3ObjectStore } from './s3.ts';
