import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import {
  CARD_SIZE,
  MAX_HEIC_PIXELS,
  MAX_IMAGE_PIXELS,
  MAX_PAGES,
  MODEL_IMAGE_SIDE,
} from '../limits.ts';
import { UnreadableFileError } from '../port.ts';
import type { Extract } from './format.ts';
import { loadSharp, type Picture, WEBP } from './load-sharp.ts';

interface ImagePage {
  path: string;
  type: string;
  /** From 1. */
  n?: number;
}

/** Pages of other formats are the pictures of an animation, or the same picture in other sizes. */
const hasPages = (type: string): boolean => type === 'image/tiff';

/** An image, turned upright as its metadata says. @throws UnreadableFileError */
async function openImage({ path, type, n = 1 }: ImagePage): Promise<Sharp> {
  const sharp = await loadSharp();
  const input = type === 'image/heic' || type === 'image/heif' ? await decodeHeic(path) : path;
  const page = hasPages(type) ? { page: n - 1 } : {};
  return sharp(input, {
    limitInputPixels: MAX_IMAGE_PIXELS,
    failOn: 'error',
    ...page,
  }).autoOrient();
}

/** As `openImage`, with its size. @throws UnreadableFileError `too_complex` when it has too many pixels */
async function openChecked(page: ImagePage) {
  const image = await openImage(page);
  const { autoOrient: size, hasAlpha } = await orDamaged(image.metadata());
  if (size.width * size.height > MAX_IMAGE_PIXELS)
    throw new UnreadableFileError('too_complex', `${size.width} × ${size.height} pixels`);
  return { image, size, hasAlpha };
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

/** Images have one page, except TIFF; their text is recognised later. */
export const readImage: Extract = async function* (file, options) {
  const { pages = 1 } = await orDamaged((await openImage(file)).metadata());
  const total = hasPages(file.type) ? pages : 1;
  for (let n = 1; n <= Math.min(total, MAX_PAGES + 1); n += 1) {
    const { image, size: picture } = await openChecked({ ...file, n });
    // Metadata alone does not tell whether the picture is complete; of many, the first one stands for all.
    if (n === 1) await preview(image);
    yield { text: '', picture, unread: 'picture' };
    options.progress(n, total);
  }
};

/** A page of an image as a PNG whose text can be recognised. @throws UnreadableFileError */
export const imageForOcr = async (page: ImagePage): Promise<Buffer> =>
  preview(await openImage(page));

const preview = (image: Sharp): Promise<Buffer> =>
  orDamaged(
    image
      .clone()
      .resize({ width: 2_000, height: 2_000, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer(),
  );

/** The image as WebP, `width` pixels wide, or as wide as it is when that is less. */
export async function renderImage(file: ImagePage & { width: number }): Promise<Picture> {
  const { image } = await openChecked(file);
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
  const { image, hasAlpha } = await openChecked(file);
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
  const { image } = await openChecked(file);
  const resized = image.resize({ ...CARD_SIZE, fit: 'inside', withoutEnlargement: true });
  const bytes = await orDamaged(resized.png({ palette: true }).toBuffer());
  return { type: 'image/png', bytes };
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
