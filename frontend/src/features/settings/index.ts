export { sectionsFor } from './section-names.ts';
