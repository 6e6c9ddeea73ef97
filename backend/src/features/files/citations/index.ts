export { createCitations } from './create.ts';
export { createMarkerFilter, type MarkerFilter } from './marker-filter.ts';
export { withMarkers, withoutSourceLinks } from './source-links.ts';
