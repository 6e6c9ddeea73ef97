import { defineFeature } from '../define-feature.ts';
import { defineFileModel } from './model.ts';

/** Files of users: uploads, the library, their text, and what replies may cite of it. */
export const files = defineFeature({
  name: 'files',
  models: (connection) => ({ files: defineFileModel(connection) }),
  create: () => ({}),
});
