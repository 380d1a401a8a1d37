import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";
import type { LetterJson, LetterPartJson } from "../../core/wire/letters.ts";

/** A letter to draw. */
export interface LetterDrawing {
  readonly letter: LetterJson;
  readonly created: string;
  /** Said on the last page if the file cannot show some characters. */
  readonly remark: string;
  /** A PNG as Base64, at the top of the first page; null without one. */
  readonly logo: string | null;
}

/** The part of pdfkit that letters use. The published types are of an earlier version. */
interface Pdf {
  x: number;
  y: number;
  readonly page: { readonly width: number; readonly height: number };
  registerFont(name: string, font: Buffer): Pdf;
  font(name: string): Pdf;
  fontSize(size: number): Pdf;
  fillColor(colour: string): Pdf;
  text(text: string, x: number, y: number, options: TextOptions): Pdf;
  heightOfString(text: string, options: TextOptions): number;
  widthOfString(text: string): number;
  moveTo(x: number, y: number): Pdf;
  lineTo(x: number, y: number): Pdf;
  lineWidth(width: number): Pdf;
  stroke(colour: string): Pdf;
  image(png: Buffer, x: number, y: number, options: { readonly width: number }): Pdf;
  addPage(): Pdf;
  bufferedPageRange(): { readonly count: number };
  switchToPage(page: number): Pdf;
  on(event: "data", receive: (chunk: Buffer) => void): void;
  on(event: "end", receive: () => void): void;
  on(event: "error", receive: (error: Error) => void): void;
  end(): void;
}

interface TextOptions {
  readonly width: number;
  readonly align?: "left" | "right";
  readonly lineGap?: number;
  readonly lineBreak?: boolean;
}

/** In points: 72 to an inch. */
const MARGIN = 64;
const SIZE = 10;
const HEADING = 14;
const SMALL = 8;
const GAP = 12;
const LINE_GAP = 3;
const CELL_GAP = 10;
const LOGO = 48;

/** Countries that use the paper size Letter. */
const usesLetterPaper = (language: string): boolean => /-(?:US|CA|MX|PH|CL|CO|VE|GT|CR|DO|PR)$/u.test(language);

/** Written from right to left, which needs an order of characters that the library does not compute. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

/** Replaces characters that the font cannot show, and remembers if there was one. */
class Script {
  readonly #has: (codePoint: number) => boolean;
  lacksSome = false;

  constructor(has: (codePoint: number) => boolean) {
    this.#has = has;
  }

  readonly show = (text: string): string =>
    [...text.normalize("NFC")]
      .map((letter) => {
        const code = letter.codePointAt(0) ?? 0;
        if (letter === "\t" || letter === "\r") return " ";
        if (this.#has(code) && !RIGHT_TO_LEFT.test(letter)) return letter;
        // Marks that select a form of another character have no shape of their own.
        if (/[\p{Cc}\p{Cf}]|\ufe0f/u.test(letter)) return "";
        this.lacksSome = true;
        return "\u25a1";
      })
      .join("");
}

/** Draws a letter as a PDF. It takes some hundred milliseconds, so it runs in a thread of its own. */
export const drawLetter = ({ letter, created, remark, logo }: LetterDrawing): Promise<Buffer> => {
  const load = createRequire(import.meta.url);
  const Document = load("pdfkit") as new (options: object) => Pdf;
  const { create } = load("fontkit") as { create(font: Buffer): { hasGlyphForCodePoint(code: number): boolean } };
  const regular = readFileSync(load.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"));
  const bold = readFileSync(load.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"));
  const font = create(regular);
  const script = new Script((code) => font.hasGlyphForCodePoint(code));
  const pdf = new Document({
    size: usesLetterPaper(letter.language) ? "LETTER" : "A4",
    // A text that reaches the margin would add a page by itself.
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: 0 },
    bufferPages: true,
    lang: letter.language,
    displayTitle: true,
    font: null,
    info: { Title: letter.title, Creator: "Ninefold", CreationDate: new Date(created) },
  });
  const chunks: Buffer[] = [];
  const finished = new Promise<Buffer>((resolve, reject) => {
    pdf.on("data", (chunk) => chunks.push(chunk));
    pdf.on("end", () => resolve(Buffer.concat(chunks)));
    pdf.on("error", reject);
  });
  pdf.registerFont("regular", regular).registerFont("bold", bold);
  const sheet = new Sheet(pdf, script);
  if (logo !== null) sheet.logo(Buffer.from(logo, "base64"));
  for (const part of letter.parts) sheet.draw(part);
  if (script.lacksSome) sheet.remark(remark);
  sheet.numberPages();
  pdf.end();
  return finished;
};

/** More than 1024 × 1024 pixels of eight bytes. */
const MAX_PIXELS = 9_000_000;

/** True if the pixels of a PNG can be read: the library would end the thread. */
const hasPixels = (png: Buffer): boolean => {
  const data: Buffer[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  try {
    return inflateSync(Buffer.concat(data), { maxOutputLength: MAX_PIXELS }).length > 0;
  } catch {
    return false;
  }
};

type TablePart = Extract<LetterPartJson, { kind: "table" }>;

/** Draws parts below each other, and begins a page where the next line has no room. */
class Sheet {
  readonly #pdf: Pdf;
  readonly #script: Script;
  readonly #width: number;
  #y = MARGIN;

  constructor(pdf: Pdf, script: Script) {
    this.#pdf = pdf;
    this.#script = script;
    this.#width = pdf.page.width - 2 * MARGIN;
  }

  draw(part: LetterPartJson): void {
    if (part.kind === "table") this.#table(part);
    else if (part.kind === "heading") {
      this.#style("bold", HEADING);
      this.#line(part.lines.join(" "));
    } else {
      this.#style("regular", SIZE);
      for (const line of part.lines) this.#line(line);
    }
    this.#y += GAP;
  }

  logo(png: Buffer): void {
    // A letter is worth more than its logo, whose header alone was checked.
    if (!hasPixels(png)) return;
    this.#pdf.image(png, MARGIN, this.#y, { width: LOGO });
    this.#y += LOGO + 2 * GAP;
  }

  remark(text: string): void {
    this.#style("regular", SMALL, "#444444");
    this.#line(text);
  }

  numberPages(): void {
    const { count } = this.#pdf.bufferedPageRange();
    if (count < 2) return;
    for (let page = 0; page < count; page++) {
      this.#pdf.switchToPage(page);
      this.#style("regular", SMALL, "#444444");
      const { height } = this.#pdf.page;
      const options = { width: this.#width, align: "right", lineBreak: false } as const;
      this.#pdf.text(`${page + 1} / ${count}`, MARGIN, height - MARGIN / 2, options);
    }
  }

  #style(font: "regular" | "bold", size: number, colour = "#000000"): void {
    this.#pdf.font(font).fontSize(size).fillColor(colour);
  }

  get #bottom(): number {
    return this.#pdf.page.height - MARGIN;
  }

  #newPage(): void {
    this.#pdf.addPage();
    this.#y = MARGIN;
  }

  /** Text that is longer than a page is divided at its words. */
  #line(text: string): void {
    const shown = this.#script.show(text);
    const options = { width: this.#width, lineGap: LINE_GAP };
    const height = this.#pdf.heightOfString(shown === "" ? " " : shown, options);
    if (this.#y + height > this.#bottom && this.#y > MARGIN) this.#newPage();
    if (height > this.#bottom - MARGIN) {
      const words = shown.split(" ");
      const half = Math.ceil(words.length / 2);
      if (words.length < 2) return;
      this.#line(words.slice(0, half).join(" "));
      this.#line(words.slice(half).join(" "));
      return;
    }
    if (shown !== "") this.#pdf.text(shown, MARGIN, this.#y, options);
    this.#y += height;
  }

  #table({ columns, rows, totals }: TablePart): void {
    const { show } = this.#script;
    const head = columns.map(({ title }) => show(title));
    const shown = rows.map((row) => row.map(show));
    const foot = totals?.map(show) ?? null;
    this.#style("bold", SIZE - 1);
    const all = [head, ...shown, ...(foot === null ? [] : [foot])];
    const widest = (part: (cell: string) => readonly string[]) =>
      columns.map((_, i) =>
        Math.max(...all.flatMap((row) => part(row[i] ?? "").map((text) => this.#pdf.widthOfString(text)))),
      );
    const widths = divideWidth(
      widest((cell) => [cell]),
      widest((cell) => cell.split(" ")),
      columns.map(({ isNumber }) => isNumber),
      this.#width - CELL_GAP * (columns.length - 1),
    );
    const draw = (cells: readonly string[], font: "regular" | "bold", isLast = false): void => {
      this.#style(font, SIZE - 1);
      const height = Math.max(
        ...cells.map((cell, i) => this.#pdf.heightOfString(cell || " ", { width: widths[i] ?? 0 })),
      );
      if (this.#y + height + 10 > this.#bottom && this.#y > MARGIN) {
        this.#newPage();
        if (cells !== head) draw(head, "bold");
        this.#style(font, SIZE - 1);
      }
      let x = MARGIN;
      for (const [i, cell] of cells.entries()) {
        const width = widths[i] ?? 0;
        if (cell !== "")
          this.#pdf.text(cell, x, this.#y + 5, { width, align: columns[i]?.isNumber ? "right" : "left" });
        x += width + CELL_GAP;
      }
      this.#y += height + 10;
      if (!isLast)
        this.#pdf
          .moveTo(MARGIN, this.#y)
          .lineTo(MARGIN + this.#width, this.#y)
          .lineWidth(0.5)
          .stroke("#999999");
    };
    draw(head, "bold");
    for (const row of shown) draw(row, "regular");
    if (foot !== null) draw(foot, "bold", true);
  }
}

/**
 * Widths of columns. Numbers get what they need. Texts share the rest by their lengths, each at least `least`, its longest
 * word, so that no word is divided.
 */
export const divideWidth = (
  natural: readonly number[],
  least: readonly number[],
  isNumber: readonly boolean[],
  available: number,
): readonly number[] => {
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  const total = sum(natural);
  if (total <= available) {
    const firstText = Math.max(isNumber.indexOf(false), 0);
    return natural.map((width, i) => (i === firstText ? width + available - total : width));
  }
  const needed = natural.map((width, i) => (isNumber[i] ? width : (least[i] ?? 0)));
  const rest = available - sum(needed);
  // Too many columns: all are narrowed alike.
  if (rest < 0) return needed.map((width) => (width / sum(needed)) * available);
  const more = natural.map((width, i) => width - (needed[i] ?? 0));
  return needed.map((width, i) => width + ((more[i] ?? 0) / sum(more)) * rest);
};
