// Small mistakes that the tests must notice: docs/mutation.md. Each changes one place of a file; at least one test of its
// files must fail then. Paths of tests are those of the suite (backend unless named otherwise).
import { ACCOUNT_MUTATIONS } from './mutations/accounts.mjs';
import { BILLING_MUTATIONS } from './mutations/billing.mjs';
import { CITATION_MUTATIONS } from './mutations/citations.mjs';
import { EXPORT_MUTATIONS } from './mutations/exports.mjs';
import { FILE_MUTATIONS } from './mutations/files.mjs';
import { GENERATION_MUTATIONS } from './mutations/generation.mjs';
import { MEMORY_MUTATIONS } from './mutations/memory.mjs';
import { MESSAGE_MUTATIONS } from './mutations/messages.mjs';
import { PAYMENT_MUTATIONS } from './mutations/payments.mjs';
import { PERSONA_MUTATIONS } from './mutations/personas.mjs';
import { POST_STEP_MUTATIONS } from './mutations/post-steps.mjs';
import { QUEUE_MUTATIONS } from './mutations/queue.mjs';
import { READING_MUTATIONS } from './mutations/reading.mjs';
import { READING_JOB_MUTATIONS } from './mutations/reading-jobs.mjs';
import { RETRIEVAL_MUTATIONS } from './mutations/retrieval.mjs';
import { SEARCH_MUTATIONS } from './mutations/search.mjs';
import { UPLOAD_MUTATIONS } from './mutations/uploads.mjs';
import { USAGE_MUTATIONS } from './mutations/usage.mjs';
import { USER_MUTATIONS } from './mutations/users.mjs';
import { VECTOR_MUTATIONS } from './mutations/vectors.mjs';
import { VIEWER_MUTATIONS } from './mutations/viewer.mjs';

export const MUTATIONS = [
  ...GENERATION_MUTATIONS,
  ...POST_STEP_MUTATIONS,
  ...MESSAGE_MUTATIONS,
  ...QUEUE_MUTATIONS,
  ...USAGE_MUTATIONS,
  ...BILLING_MUTATIONS,
  ...USER_MUTATIONS,
  ...ACCOUNT_MUTATIONS,
  ...PAYMENT_MUTATIONS,
  ...FILE_MUTATIONS,
  ...READING_JOB_MUTATIONS,
  ...UPLOAD_MUTATIONS,
  ...RETRIEVAL_MUTATIONS,
  ...VECTOR_MUTATIONS,
  ...READING_MUTATIONS,
  ...VIEWER_MUTATIONS,
  ...CITATION_MUTATIONS,
  ...SEARCH_MUTATIONS,
  ...EXPORT_MUTATIONS,
  ...MEMORY_MUTATIONS,
  ...PERSONA_MUTATIONS,
];
