/** The widths of requested page pictures, in pixels: few, so that the server's cache serves them. */
export const PICTURE_WIDTHS = [400, 800, 1200, 1600] as const;

/** The smallest of these widths that is sharp at `width` CSS pixels. */
export const pictureWidth = (width: number, density = window.devicePixelRatio): number =>
  PICTURE_WIDTHS.find((known) => known >= width * Math.min(density, 2)) ?? 1600;
