/**
 * A picture in the encoder's own form, YUV 4:2:0: one luma byte a pixel, one pair of chroma bytes
 * for four pixels, BT.601 limited range. Frames are composed in this form: moving a few small
 * shapes over a still background takes a tenth of the time of drawing and converting each frame
 * anew.
 */
export interface Planes {
  readonly width: number;
  readonly height: number;
  /** Luma, then both chroma planes: what the encoder takes. */
  readonly bytes: Uint8Array;
}

/** A picture with transparency that is laid over others at even positions. */
export interface Sprite extends Planes {
  /** Opacity 0–255: one byte a luma sample, then one a chroma sample. */
  readonly alpha: Uint8Array;
}

export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** Converts pixels; width and height must be even. */
export function planesFromRgba({ width, height, data }: Rgba): Planes {
  const bytes = new Uint8Array((width * height * 3) / 2);
  const at = (index: number): number => data[index] ?? 0;
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    bytes[pixel] =
      (66 * at(pixel * 4) + 129 * at(pixel * 4 + 1) + 25 * at(pixel * 4 + 2) + 4224) >> 8;
  }
  let chroma = width * height;
  const second = (width * height) / 4;
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const first = (y * width + x) * 4;
      const below = first + width * 4;
      const sum = (channel: number): number =>
        at(first + channel) +
        at(first + 4 + channel) +
        at(below + channel) +
        at(below + 4 + channel);
      const [red, green, blue] = [sum(0), sum(1), sum(2)];
      bytes[chroma] = (-38 * red - 74 * green + 112 * blue + 131_584) >> 10;
      bytes[chroma + second] = (112 * red - 94 * green - 18 * blue + 131_584) >> 10;
      chroma += 1;
    }
  }
  return { width, height, bytes };
}

/** The same with its transparency kept. */
export function spriteFromRgba(image: Rgba): Sprite {
  const { width, height, data } = image;
  const alpha = new Uint8Array((width * height * 5) / 4);
  for (let pixel = 0; pixel < width * height; pixel += 1) alpha[pixel] = data[pixel * 4 + 3] ?? 0;
  for (let index = 0; index < (width * height) / 4; index += 1) {
    const row = Math.floor(index / (width / 2));
    alpha[width * height + index] = alpha[2 * row * width + 2 * (index - row * (width / 2))] ?? 0;
  }
  return { ...planesFromRgba(image), alpha };
}

/**
 * One rectangle of one plane that is laid over another: where both start, how far apart their rows
 * are.
 */
interface Overlay {
  readonly from: number;
  readonly fromStride: number;
  readonly alphaFrom: number;
  readonly to: number;
  readonly toStride: number;
  readonly columns: number;
  readonly rows: number;
}

function overlay(target: Uint8Array, { bytes, alpha }: Sprite, area: Overlay): void {
  for (let row = 0; row < area.rows; row += 1) {
    const from = area.from + row * area.fromStride;
    const alphaFrom = area.alphaFrom + row * area.fromStride;
    const to = area.to + row * area.toStride;
    for (let column = 0; column < area.columns; column += 1) {
      const opacity = alpha[alphaFrom + column] ?? 0;
      if (opacity === 0) continue;
      const under = target[to + column] ?? 0;
      // 32897 / 2^23 is 1 / 255 to the bit; this loop is most of the work of a frame
      target[to + column] =
        under + ((((bytes[from + column] ?? 0) - under) * opacity * 32_897) >> 23);
    }
  }
}

/**
 * Lays the sprite over the picture with its corner at an even position; what lies outside is cut
 * off.
 */
export function blend(
  target: Planes,
  sprite: Sprite,
  corner: { readonly x: number; readonly y: number },
): void {
  const [left, top] = [corner.x & ~1, corner.y & ~1];
  const [fromX, fromY] = [Math.max(0, -left), Math.max(0, -top)];
  const columns = Math.min(sprite.width, target.width - left) - fromX;
  const rows = Math.min(sprite.height, target.height - top) - fromY;
  if (columns <= 0 || rows <= 0) return;
  const [from, to] = [fromY * sprite.width + fromX, (top + fromY) * target.width + left + fromX];
  overlay(target.bytes, sprite, {
    from,
    alphaFrom: from,
    fromStride: sprite.width,
    to,
    toStride: target.width,
    columns,
    rows,
  });
  const [luma, targetLuma] = [sprite.width * sprite.height, target.width * target.height];
  const [fromChroma, toChroma] = [
    (fromY * sprite.width) / 4 + fromX / 2,
    ((top + fromY) * target.width) / 4 + (left + fromX) / 2,
  ];
  for (const plane of [0, 1]) {
    overlay(target.bytes, sprite, {
      from: luma + (plane * luma) / 4 + fromChroma,
      alphaFrom: luma + fromChroma,
      fromStride: sprite.width / 2,
      to: targetLuma + (plane * targetLuma) / 4 + toChroma,
      toStride: target.width / 2,
      columns: columns / 2,
      rows: rows / 2,
    });
  }
}

/** Back to opaque pixels, for the still picture of the last frame. */
export function rgbaFromPlanes({ width, height, bytes }: Planes): Uint8ClampedArray<ArrayBuffer> {
  const data = new Uint8ClampedArray(width * height * 4);
  const [blueStart, redStart] = [width * height, (width * height * 5) / 4];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const chroma = (y >> 1) * (width / 2) + (x >> 1);
      const luma = 1.164 * ((bytes[y * width + x] ?? 16) - 16);
      const blue = (bytes[blueStart + chroma] ?? 128) - 128;
      const red = (bytes[redStart + chroma] ?? 128) - 128;
      const place = (y * width + x) * 4;
      data[place] = luma + 1.596 * red;
      data[place + 1] = luma - 0.813 * red - 0.392 * blue;
      data[place + 2] = luma + 2.017 * blue;
      data[place + 3] = 255;
    }
  }
  return data;
}
