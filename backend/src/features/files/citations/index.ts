export { createCitations } from './create.ts';
export { createMarkerFilter, type MarkerFilter } from './marker-filter.ts';
export { closingFence, withMarkers, withoutSourceLinks } from './source-links.ts';
