/** An error of S3: the HTTP status and its code. */
export class S3Error extends Error {
  override name = 'S3Error';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const accessDenied = (message = 'Access Denied') =>
  new S3Error(403, 'AccessDenied', message);
export const invalidArgument = (message: string) => new S3Error(400, 'InvalidArgument', message);
export const invalidRequest = (message: string) => new S3Error(400, 'InvalidRequest', message);
export const incompleteBody = () =>
  new S3Error(400, 'IncompleteBody', 'The body is not as long as it was declared.');
export const malformedXml = () =>
  new S3Error(400, 'MalformedXML', 'The XML you provided was not well-formed.');
export const preconditionFailed = () =>
  new S3Error(412, 'PreconditionFailed', 'A precondition you specified did not hold.');
export const noSuchBucket = () =>
  new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist.');
export const noSuchKey = () => new S3Error(404, 'NoSuchKey', 'The specified key does not exist.');
export const noSuchUpload = () =>
  new S3Error(404, 'NoSuchUpload', 'The specified multipart upload does not exist.');
/** Missing features of S3 are always refused, never ignored. */
export const notImplemented = (what: string) =>
  new S3Error(501, 'NotImplemented', `${what} is not implemented by this store.`);
