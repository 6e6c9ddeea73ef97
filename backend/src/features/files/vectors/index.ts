export { createVectors, type Vectors } from './create.ts';
export type { SimilaritiesOf } from './similarity.ts';
