export { createModelImages } from './images.ts';
export { createMarkerFilter, type MarkerFilter } from './marker-filter.ts';
export { createReplyContext } from './reply-context.ts';
export { createSourcesStep } from './sources-step.ts';
export { withMarkers, withoutSourceLinks } from './source-links.ts';
