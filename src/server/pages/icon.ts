import { contrast } from "../../core/derive/client/look/colour.ts";
import { encodePng } from "../util/png.ts";
import { letterOutlines } from "./letter-outlines.ts";

/** A letter on a colour. */
export interface AppIcon {
  readonly outline: string;
  readonly colour: string;
  /** True for square corners, for systems that cut the icon themselves. */
  readonly isWhole: boolean;
}

/** The side of the drawing, of which other lengths are parts. */
const SIDE = 32;
const CORNER = 8;
/** The height of capitals: small enough for the circle that systems leave of a square icon. */
const CAPITALS = 12;

/** Nine squares, for a name in a script of which there are no outlines. */
const SQUARES = [-500, -130, 240]
  .flatMap((y) => [-500, -130, 240].map((x) => `M${x} ${y}H${x + 260}V${y + 260}H${x}Z`))
  .join("");

/** The outline of the first letter of a name, without its accent: `É` becomes `E`. */
export const findInitial = (name: string): string => {
  const [letter = ""] = name.trim().normalize("NFD").toUpperCase();
  return Object.hasOwn(letterOutlines, letter) ? (letterOutlines[letter] ?? SQUARES) : SQUARES;
};

export const drawSvgIcon = ({ outline, colour, isWhole }: AppIcon): string => {
  const scale = CAPITALS / 1000;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}"><rect width="${SIDE}" height="${SIDE}" rx="${isWhole ? 0 : CORNER}" fill="${colour}"/><path fill="${findLetterColour(colour)}" transform="translate(${SIDE / 2} ${SIDE / 2}) scale(${scale})" d="${outline}"/></svg>`;
};

/** The picture as a PNG, for systems that take no SVG. `side`: in pixels. */
export const drawPngIcon = ({ outline, colour, isWhole }: AppIcon, side: number): Buffer => {
  const [back, front] = [readColour(colour), readColour(findLetterColour(colour))];
  const pixels = Buffer.alloc(side * side * 4, Buffer.from([...back, 255]));
  for (const [at, share] of coverage(flatten(outline, (side * CAPITALS) / SIDE / 1000, side / 2), side))
    for (const [channel, value] of front.entries())
      pixels[at * 4 + channel] = Math.round((back[channel] ?? 0) * (1 - share) + value * share);
  const corner = isWhole ? 0 : (side * CORNER) / SIDE;
  for (let y = 0; y < corner; y++)
    for (let x = 0; x < corner; x++) {
      const opacity = Math.round(255 * Math.min(1, Math.max(0, corner - Math.hypot(corner - x, corner - y) + 0.5)));
      for (const row of [y, side - 1 - y])
        for (const column of [x, side - 1 - x]) pixels[(row * side + column) * 4 + 3] = opacity;
    }
  return encodePng(side, pixels, 4);
};

type Point = readonly [x: number, y: number];

/** Steps into which a curve is divided: none is longer than a few pixels. */
const STEPS = 12;

/** Turns an outline into straight edges. */
const flatten = (path: string, scale: number, centre: number): readonly (readonly [Point, Point])[] => {
  const edges: (readonly [Point, Point])[] = [];
  let [start, at]: [Point, Point] = [
    [0, 0],
    [0, 0],
  ];
  const draw = (to: Point) => {
    edges.push([at, to]);
    at = to;
  };
  for (const [, command = "", written = ""] of path.matchAll(/([MLHVQZ])([^MLHVQZ]*)/gu)) {
    const numbers = [...written.matchAll(/-?\d+/gu)].map(Number);
    const place = (i: number): Point => [(numbers[i] ?? 0) * scale + centre, (numbers[i + 1] ?? 0) * scale + centre];
    if (command === "M") [start, at] = [place(0), place(0)];
    if (command === "L") draw(place(0));
    if (command === "H") draw([(numbers[0] ?? 0) * scale + centre, at[1]]);
    if (command === "V") draw([at[0], (numbers[0] ?? 0) * scale + centre]);
    if (command === "Z") draw(start);
    if (command === "Q") {
      const [from, bend, to] = [at, place(0), place(2)];
      for (let step = 1; step <= STEPS; step++) {
        const t = step / STEPS;
        const between = (i: 0 | 1) => (1 - t) ** 2 * from[i] + 2 * t * (1 - t) * bend[i] + t ** 2 * to[i];
        draw([between(0), between(1)]);
      }
    }
  }
  return edges;
};

/** Lines by which each row of pixels is sampled. */
const SAMPLES = 5;

/** The share of each pixel inside the edges, by the nonzero rule; pixels outside are left out. */
const coverage = (edges: readonly (readonly [Point, Point])[], side: number): ReadonlyMap<number, number> => {
  const lines: { readonly x: number; readonly turn: 1 | -1 }[][] = Array.from({ length: side * SAMPLES }, () => []);
  for (const [[x, from], [end, to]] of edges) {
    const [top, bottom] = [from, to].map((y) => Math.ceil(y * SAMPLES - 0.5)).sort((a, b) => a - b);
    for (let line = top ?? 0; line < (bottom ?? 0); line++) {
      const share = ((line + 0.5) / SAMPLES - from) / (to - from);
      lines[line]?.push({ x: x + share * (end - x), turn: to > from ? 1 : -1 });
    }
  }
  const covered = new Map<number, number>();
  for (const [line, crossings] of lines.entries()) {
    let winding = 0;
    for (const [i, { x, turn }] of crossings.sort((a, b) => a.x - b.x).entries()) {
      winding += turn;
      if (winding !== 0) fill(covered, Math.floor(line / SAMPLES) * side, x, crossings[i + 1]?.x ?? x);
    }
  }
  return covered;
};

const fill = (covered: Map<number, number>, row: number, from: number, to: number): void => {
  for (let x = Math.floor(from); x < to; x++)
    covered.set(row + x, (covered.get(row + x) ?? 0) + (Math.min(to, x + 1) - Math.max(from, x)) / SAMPLES);
};

const readColour = (hex: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** White if it has a contrast of 4.5 on the colour (WCAG 2.2), otherwise a dark colour. */
const findLetterColour = (colour: string): string => (contrast(colour, "#ffffff") >= 4.5 ? "#ffffff" : "#04181c");
