import { setImmediate as nextTurn } from 'node:timers/promises';
import { InputError } from '../../errors.js';
import type { PixelArray, RasterArray } from '../raster.js';
import type { Window } from '../window.js';
import { BlockTable } from './block-table.js';
import { loadCodec, refuseCompression } from './codecs/codec.js';
import { describePage, type GeoTiffInfo } from './describe.js';
import { readDirectories, type Directory } from './directory.js';
import type { GeoRaster, ReadGeoTiffOptions } from './geo-raster.js';
import { readGeoreference, shift } from './georeference.js';
import { asPixel } from './nodata.js';
import { layOut, maskOf, sortPages, type LaidOutPage, type Pages } from './pages.js';
import { checkBlocks, readPixels, type PixelRequest } from './read-pixels.js';
import { HeadReader, openSource, type OpenSource, type RasterSource } from './raster-source.js';
import { checkWindow, embed, intersect, refuseHuge, scaleTransform } from './read-window.js';
import { readBytes, samplesOver } from './samples.js';
import { findValid, scaleSamples } from './validity.js';

/** How a read is driven: where pixels go, and what happens between blocks. */
export interface ReadDrive {
  /** Memory for so many bytes. Default: an ArrayBuffer. */
  readonly allocate?: (bytes: number) => ArrayBufferLike;
  /** Called between blocks; may throw to stop. */
  readonly onBlock?: () => void;
  /** The event loop gets its turn from time to time. Default: true. */
  readonly yields?: boolean;
}

/** Longest stretch of work without giving the event loop a turn, in ms. */
const TURN_MS = 20;

/** An open TIFF or GeoTIFF: its header is read, its pixels are read when asked for. Close it after use. */
export class GeoTiffFile {
  private constructor(
    private readonly opened: OpenSource,
    private readonly head: HeadReader,
    private readonly pages: Pages,
    private readonly main: LaidOutPage,
    /** What the header says about the first image. */
    readonly info: GeoTiffInfo,
  ) {}

  /**
   * Opens a file and reads its header.
   * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, EMPTY_FILE, NOT_A_RASTER, TRUNCATED, BAD_HEADER,
   * UNSUPPORTED, TOO_LARGE
   */
  static open(place: RasterSource): GeoTiffFile {
    const opened = openSource(place);
    try {
      const head = new HeadReader(opened.source);
      const pages = sortPages(readDirectories(head));
      const main = layOut(pages.images[0]!, head);
      refuseCompression(main.layout, head);
      new BlockTable(main.page, main.layout, head); // its tables are there
      const info = describePage(pages, main.page, main.layout, maskOf(pages, main.page) !== undefined);
      return new GeoTiffFile(opened, head, pages, main, info);
    } catch (cause) {
      opened.close();
      throw cause;
    }
  }

  close(): void {
    this.opened.close();
  }

  /**
   * Reads pixels.
   * @throws InputError IMAGE_WINDOW, IMAGE_BANDS, IMAGE_PAGE, TOO_LARGE, TRUNCATED, CORRUPT_DATA, UNSUPPORTED,
   * PRECISION_LOSS
   */
  async read(options: ReadGeoTiffOptions = {}, drive: ReadDrive = {}): Promise<GeoRaster> {
    const where = this.head.where;
    const { page, layout } = this.pageOf(options);
    const wanted = checkWindow(options, layout, where);
    const bands = this.bandsOf(options.bands, layout.bandCount);
    const inside = intersect(wanted, layout);
    const isCut = inside.height !== wanted.height || inside.width !== wanted.width;
    const isEmpty = inside.height === 0 || inside.width === 0;
    refuseHuge(wanted, bands.length, readBytes(layout.type), where);

    const fromCaller = options.nodata !== undefined;
    const nodata = fromCaller
      ? options.nodata === null
        ? null
        : asPixel(options.nodata!, layout.type)
      : this.info.nodata;
    const request: PixelRequest = {
      layout,
      table: new BlockTable(page, layout, this.head),
      source: this.opened.source,
      window: inside,
      bands,
      absent: nodata ?? 0,
    };
    const shape = { height: inside.height, width: inside.width, bandCount: bands.length };
    const count = shape.height * shape.width * shape.bandCount;
    if (!isEmpty) checkBlocks(request);
    const allocate = drive.allocate ?? ((bytes: number) => new ArrayBuffer(bytes));
    const data = samplesOver(layout.type, allocate(count * readBytes(layout.type)));
    if (!isEmpty) await this.fillPixels(request, page, data, options.signal, drive);

    const needsValid = Boolean(options.mask) || options.scaled === true || isCut;
    const valid = needsValid
      ? findValid({ data, ...shape }, layout.type, nodata, {
          maskPage: isEmpty ? null : await this.readMask(page, inside, options.signal, drive),
          alpha: isEmpty ? null : await this.readAlpha(request, page, options.signal, drive),
          alphaPlaces: bands.flatMap((band, place) => (band === this.info.alphaBand ? [place] : [])),
          keepsNaN: options.mask === 'declared',
        })
      : null;
    let image: { data: PixelArray; valid: Uint8Array | null } = { data, valid };
    if (options.scaled) {
      const { scale, offset } = this.scalesOf(bands);
      image = { data: scaleSamples(data, valid, scale, offset), valid };
    }
    if (isCut) image = embed(image, shape, inside, wanted, options.scaled ? NaN : (nodata ?? 0));
    const { transform, crs } = (options.page ?? 0) > 0 ? readGeoreference(page) : this.info;
    const full = (options.overview ?? 0) > 0 ? this.main.layout : layout;
    const placed = transform && scaleTransform(transform, full, layout);
    return {
      data: image.data,
      height: wanted.height,
      width: wanted.width,
      bandCount: bands.length,
      type: layout.type,
      transform: placed && shift(placed, wanted.column, wanted.row),
      epsg: crs?.epsg ?? null,
      nodata,
      nodataFrom: fromCaller ? 'caller' : nodata === null ? null : 'file',
      bandNames: bands.map((band) => this.info.bands[band]?.name ?? null),
      valid: options.mask ? image.valid : null,
    };
  }

  private async fillPixels(
    request: PixelRequest,
    page: Directory,
    data: PixelArray,
    signal: AbortSignal | undefined,
    { onBlock, yields = true }: ReadDrive,
  ): Promise<void> {
    const codec = await loadCodec(request.layout, page, this.head);
    let turn = performance.now();
    for (const _ of readPixels(request, codec, data)) {
      onBlock?.();
      signal?.throwIfAborted();
      if (!yields || performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
  }

  /** The mask page's bits of a window, [height, width] or [height, width, band]; null: there is none. */
  private async readMask(
    page: Directory,
    window: Window,
    signal: AbortSignal | undefined,
    drive: ReadDrive,
  ): Promise<RasterArray | null> {
    const mask = maskOf(this.pages, page);
    if (!mask) return null;
    const { layout } = layOut(mask, this.head);
    const bands = Array.from({ length: layout.bandCount }, (_, band) => band);
    const table = new BlockTable(mask, layout, this.head);
    const request = { layout, table, source: this.opened.source, window, bands, absent: 0 };
    checkBlocks(request);
    const bytes = window.height * window.width * bands.length * readBytes(layout.type);
    const data = samplesOver(layout.type, new ArrayBuffer(bytes));
    await this.fillPixels(request, mask, data, signal, drive);
    return { data, height: window.height, width: window.width, bandCount: bands.length };
  }

  private async readAlpha(
    request: PixelRequest,
    page: Directory,
    signal: AbortSignal | undefined,
    drive: ReadDrive,
  ): Promise<PixelArray | null> {
    const { alphaBand } = this.info;
    if (alphaBand === null) return null;
    const { layout, window } = request;
    const bytes = window.height * window.width * readBytes(layout.type);
    const data = samplesOver(layout.type, new ArrayBuffer(bytes));
    await this.fillPixels({ ...request, bands: [alphaBand] }, page, data, signal, drive);
    return data;
  }

  private pageOf({ overview = 0, page = 0 }: ReadGeoTiffOptions): LaidOutPage {
    if (overview === 0 && page === 0) return this.main;
    const { images, overviews } = this.pages;
    const found = overview > 0 ? overviews[overview - 1] : images[page];
    if (found && (overview === 0 || page === 0)) {
      const laidOut = layOut(found, this.head);
      refuseCompression(laidOut.layout, this.head);
      return laidOut;
    }
    throw new InputError('IMAGE_PAGE', `There is no overview ${overview} of page ${page}.`, {
      where: this.head.where,
      hint: `The file has ${images.length} full-size pages; the first has ${overviews.length} overviews.`,
    });
  }

  private bandsOf(bands: ReadGeoTiffOptions['bands'], bandCount: number): readonly number[] {
    const known = this.info.bands;
    if (!bands) return Array.from({ length: bandCount }, (_, band) => band);
    const places = bands.map((band) =>
      typeof band === 'string' ? known.findIndex(({ name }) => name === band) : band,
    );
    const wrong = places.findIndex((band) => !Number.isInteger(band) || band < 0 || band >= bandCount);
    if (wrong < 0 && places.length > 0) return places;
    const names = known.flatMap(({ name }) => (name === null ? [] : [name]));
    throw new InputError('IMAGE_BANDS', `Band ${JSON.stringify(bands[wrong] ?? null)} is not in the image.`, {
      where: this.head.where,
      hint: `The image has bands 0 to ${bandCount - 1}${names.length > 0 ? `: ${names.join(', ')}` : ', without names'}.`,
    });
  }

  private scalesOf(bands: readonly number[]): { scale: number[]; offset: number[] } {
    const infos = bands.map((band) => this.info.bands[band]!);
    return { scale: infos.map(({ scale }) => scale), offset: infos.map(({ offset }) => offset) };
  }
}
