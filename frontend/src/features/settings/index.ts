export { type SectionName, sectionsFor } from './section-names.ts';
