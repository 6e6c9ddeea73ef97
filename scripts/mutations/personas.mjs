import { mistakes } from './patches.mjs';

const PERSONAS = 'backend/src/features/personas';
const tests = ['contributor', 'service'].map((name) => `src/features/personas/${name}.test.ts`);

export const PERSONA_MUTATIONS = [
  ...mistakes(
    { file: `${PERSONAS}/model.ts`, tests },
    {
      'schema.index({ ownerId: 1, slot': [['{ ~~unique: true~~ }', '']],
      'const find = async': [
        'findOne({ _id: id~~, ownerId~~ }',
        'findOne({ ~~_id: id, ~~ownerId }',
      ],
      'list: async': ['find({ ~~ownerId~~ }'],
      'cardOf: async': ['{ _id: id~~, ownerId~~ }'],
      'insert: async': [
        'find({ ~~ownerId~~ }, { slot',
        '~~if (used.length >= limit) return null;~~',
        ['if (~~!isDuplicateKey(error)~~)', 'true'],
      ],
      'update: async': ['{ _id: id~~, ownerId~~, version }', '{ _id: id, ownerId~~, version~~ }'],
      'remove: async': [
        'deleteOne({ _id: id~~, ownerId~~ })',
        'deleteOne({ ~~_id: id, ~~ownerId })',
      ],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),
  ...mistakes(
    { file: `${PERSONAS}/references.ts`, tests },
    {
      'const requireModel =': [
        'if (model !== null && ~~model !== former && ~~!isOffered(model))',
        '~~if (model !== null && model !== former && !isOffered(model)) throw modelMissing();~~',
      ],
      'const withOfferedModel =': [['? fields : { ...fields, model: ~~null~~ }', 'fields.model']],
    },
  ),
  ...mistakes(
    { file: `${PERSONAS}/service.ts`, tests },
    { 'const create = async': ['~~requireModel(fields.model);~~'] },
  ),
  ...mistakes(
    { file: `${PERSONAS}/model.ts`, tests: ['src/features/personas/cards/cards.test.ts'] },
    { 'pictureOf: async': ['{ _id: id~~, ownerId~~ }'] },
  ),
  ...mistakes(
    {
      file: `${PERSONAS}/cards/child.ts`,
      tests: ['src/features/personas/cards/cards.test.ts'],
    },
    { 'function digestOf': ['isPng(bytes)~~ && !isBlank(bytes)~~'] },
  ),
];
