export interface Picture {
  type: string;
  bytes: Buffer;
}

/** Half the time of the default effort for pictures that are 2% larger. */
export const WEBP = { quality: 80, effort: 2 };

/** Loaded late: its library takes memory that texts do not need. */
export async function loadSharp() {
  // The child may not write files, so libvips must not move large pictures to the disk.
  process.env.VIPS_DISC_THRESHOLD = '4g';
  const { default: sharp } = await import('sharp');
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
