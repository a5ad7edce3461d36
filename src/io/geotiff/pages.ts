import type { Directory } from './directory.js';
import { readLayout, type Layout } from './layout.js';
import type { HeadReader } from './raster-source.js';
import { TAG } from './tags.js';

/** The pages of a file by what they are. */
export interface Pages {
  /** Full-size images; the first is the image of the file. */
  readonly images: readonly Directory[];
  /** Smaller copies of the first image, in file order. */
  readonly overviews: readonly Directory[];
  /** Which pixels of an image or overview count. */
  readonly masks: readonly Directory[];
}

/** Bits of the tag NewSubfileType. */
const REDUCED = 1;
const MASK = 4;

/** Sorts pages by their subfile type, a set of flags: a page may be both an overview and a mask. */
export function sortPages(pages: readonly Directory[]): Pages {
  const images: Directory[] = [];
  const overviews: Directory[] = [];
  const masks: Directory[] = [];
  for (const page of pages) {
    const type = page.number(TAG.subfileType, page.number(TAG.oldSubfileType) === 2 ? REDUCED : 0);
    if (type & MASK || page.number(TAG.photometric) === 4) masks.push(page);
    else if (type & REDUCED) overviews.push(page);
    else images.push(page);
  }
  // a file of nothing but such pages: its first page is the image
  if (images.length === 0) return { images: pages.slice(0, 1), overviews: [], masks: [] };
  return { images, overviews, masks };
}

/** A page with the layout of its pixels. */
export interface LaidOutPage {
  readonly page: Directory;
  readonly layout: Layout;
}

/** @throws InputError BAD_HEADER, UNSUPPORTED, TOO_LARGE */
export const layOut = (page: Directory, source: HeadReader): LaidOutPage => ({
  page,
  layout: readLayout(page, source),
});

/** Height and width of a page as its header states them. */
export const pageSize = (page: Directory): readonly [height: number, width: number] => [
  page.number(TAG.height, 0),
  page.number(TAG.width, 0),
];

/** The mask of a page: of the same size. */
export const maskOf = ({ masks }: Pages, page: Directory): Directory | undefined =>
  masks.find((mask) => pageSize(mask).join() === pageSize(page).join());
