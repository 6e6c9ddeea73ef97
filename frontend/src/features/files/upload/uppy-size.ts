// Stands in for the package by which Uppy writes sizes: that one has a decimal point in every language.
export { formatSize as default } from './file-size.ts';
