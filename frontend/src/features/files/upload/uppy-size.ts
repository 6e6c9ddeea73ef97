// Replaces the package by which Uppy formats sizes: that one writes a decimal point in every language.
export { formatSize as default } from './file-size.ts';
