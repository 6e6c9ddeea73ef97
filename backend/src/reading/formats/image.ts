import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { CARD_SIZE, MAX_HEIC_PIXELS, MAX_IMAGE_PIXELS, MODEL_IMAGE_SIDE } from '../limits.ts';
import { UnreadableFileError } from '../port.ts';
import type { Extract } from './format.ts';

export interface Picture {
  type: string;
  bytes: Buffer;
}

/** Half the time of the default effort, for pictures that are 2% larger. */
export const WEBP = { quality: 80, effort: 2 };

/** Loaded lazily, because its library takes memory that texts do not need. */
export async function loadSharp() {
  // The child may not write files, so libvips must not move large pictures to disk.
  process.env.VIPS_DISC_THRESHOLD = '4g';
  const { default: sharp } = await import('sharp');
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

/**
 * An image, turned upright by its metadata.
 * @throws UnreadableFileError
 */
async function openImage({ path, type }: { path: string; type: string }): Promise<Sharp> {
  const sharp = await loadSharp();
  const input = type === 'image/heic' || type === 'image/heif' ? await decodeHeic(path) : path;
  return sharp(input, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error' }).autoOrient();
}

/** sharp reads the size of a HEIC image, but not its pixels. */
async function decodeHeic(path: string): Promise<Buffer> {
  const { width, height } = await orDamaged((await loadSharp())(path).metadata());
  if (width * height > MAX_HEIC_PIXELS)
    throw new UnreadableFileError('too_complex', `${width} × ${height} pixels of HEIC`);
  const { default: convert } = await import('heic-convert');
  return Buffer.from(
    await convert({ buffer: await readFile(path), format: 'JPEG', quality: 0.92 }),
  );
}

/** Images have one page; its text is recognised if the operator has enabled that. */
export const readImage: Extract = async function* (file, { ocr }) {
  const image = await openImage(file);
  const { autoOrient: picture } = await orDamaged(image.metadata());
  rejectHuge(picture);
  // Metadata alone does not show whether the picture is complete.
  const preview = await orDamaged(
    image
      .clone()
      .resize({ width: 2_000, height: 2_000, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer(),
  );
  yield { text: ocr ? await recogniseOne(preview) : '', picture };
};

async function recogniseOne(png: Buffer): Promise<string> {
  const { createRecogniser } = await import('./ocr.ts');
  const recogniser = await createRecogniser();
  return recogniser.textOf(png);
}

/** The image as WebP, `width` pixels wide, or at its own width when that is less. */
export async function renderImage(file: {
  path: string;
  type: string;
  width: number;
}): Promise<Picture> {
  const image = await openImage(file);
  const { autoOrient: size } = await orDamaged(image.metadata());
  rejectHuge(size);
  const resized = image.resize({
    width: file.width,
    height: 16_000,
    fit: 'inside',
    withoutEnlargement: true,
  });
  return { type: 'image/webp', bytes: await orDamaged(resized.webp(WEBP).toBuffer()) };
}

/** The image for a model: JPEG, or PNG when it is transparent, without metadata. */
export async function imageForModel(file: { path: string; type: string }): Promise<Picture> {
  const image = await openImage(file);
  const { autoOrient: size, hasAlpha } = await orDamaged(image.metadata());
  rejectHuge(size);
  const resized = image.resize({
    width: MODEL_IMAGE_SIDE,
    height: MODEL_IMAGE_SIDE,
    fit: 'inside',
    withoutEnlargement: true,
  });
  const encoded = hasAlpha ? resized.png() : resized.jpeg({ quality: 85 });
  return {
    type: hasAlpha ? 'image/png' : 'image/jpeg',
    bytes: await orDamaged(encoded.toBuffer()),
  };
}

/** The image for a character card. A palette keeps it below 300 kB, so that the database can store it. */
export async function imageForCard(file: { path: string; type: string }): Promise<Picture> {
  const image = await openImage(file);
  const { autoOrient: size } = await orDamaged(image.metadata());
  rejectHuge(size);
  const resized = image.resize({ ...CARD_SIZE, fit: 'inside', withoutEnlargement: true });
  const bytes = await orDamaged(resized.png({ palette: true }).toBuffer());
  return { type: 'image/png', bytes };
}

function rejectHuge({ width, height }: { width: number; height: number }): void {
  if (width * height > MAX_IMAGE_PIXELS)
    throw new UnreadableFileError('too_complex', `${width} × ${height} pixels`);
}

async function orDamaged<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const detail = String(error);
    const huge = /pixel limit|out of memory|unable to allocate/i.test(detail);
    throw new UnreadableFileError(huge ? 'too_complex' : 'damaged', detail);
  }
}
