import type { FileRecord } from './file-record.ts';

/** SHA-256 of the sample files of the home screen, which the frontend serves from `public/samples`. */
export const SAMPLE_HASHES: ReadonlySet<string> = new Set([
  '304f2bec64909d85c7338bb3d43d1c97ddb4e6923346b261bdd98a79fd1daf89', // de/jahresbericht-2025.md
  '77544591586243be0ccb240f4094a7e3aaed06f66d7714f6cdb3cebb7c4aa8a7', // de/mietvertrag-2024.md
  'aa4e720726f4f5bd5b6d91ced8dc86527cc76fb0c50bf7b66d0e287ce85547fc', // de/mietvertrag-2025.md
  '4eaf77f01514b0bbb107ed1db4e3a34c78c509fcf5ee7e95f56be8bfaf235af8', // en/annual-report-2025.md
  'a8f4bd1cd32ad8298593f2046502135ca48b557f4b367249e2e6c8c5fdc7bdbe', // en/lease-2024.md
  '059abb1d3366dd7a9f603ee62b73ae93ca9317341b091e06afbc02dd1daaf7ee', // en/lease-2025.md
]);

/** Whether it is a sample file that STOLAS brings, letter for letter. */
export const isSample = ({ sha256 }: Pick<FileRecord, 'sha256'>): boolean =>
  SAMPLE_HASHES.has(sha256);
