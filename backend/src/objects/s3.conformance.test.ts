import { describeObjectStore } from './conformance.fixture.ts';
import { createS3ObjectStore } from './index.ts';
import { embeddedStore } from './s3/s3.fixture.ts';

describeObjectStore('S3 API', () => createS3ObjectStore({ ...embeddedStore(), pageSize: 3 }));
