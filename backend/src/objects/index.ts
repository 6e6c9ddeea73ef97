export {
  type DownloadOptions,
  type FormStorage,
  NotOfferedError,
  type ObjectFacts,
  ObjectMissingError,
  type ObjectStore,
  type SignedAddress,
  type UploadedPart,
  UploadRefusedError,
} from './port.ts';
export { createS3ObjectStore } from './s3/index.ts';
