import type { ReportFinding, Spanned } from "../document/shape.ts";
import { finding } from "../findings.ts";

/** Larger files would be most of a document. */
const MAX_BYTES = 32_768;
/** Sides in pixels: enough for a sheet of paper, and no more than a document should carry. */
const SIDES = { least: 128, most: 1024 };

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The chunk `IEND`, without data, and its checksum. */
const END = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];

/** The logo as Base64 without spaces; null without one, or with a mistake, which is reported. */
export const linkLogo = (written: Spanned<string> | undefined, report: ReportFinding): string | null => {
  if (written === undefined) return null;
  const text = written.value.replaceAll(/\s/gu, "");
  const problem = findProblem(text);
  if (problem === undefined) return text;
  report(finding("BAD_VALUE", written.span, ...problem));
  return null;
};

/** Reads the header and the end of the file (PNG, third edition, https://www.w3.org/TR/png-3/), which decide where it can be shown. */
const findProblem = (text: string): readonly [message: string, hint: string] | undefined => {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/u.test(text);
  const head = isBase64 ? decode(text.slice(0, 40)) : [];
  if (SIGNATURE.some((byte, i) => head[i] !== byte))
    return ["The logo is not a PNG.", "Write “logo: |”, and below it what “base64 logo.png” prints."];
  const end = decode(text.slice(-20)).slice(-END.length);
  if (END.some((byte, i) => end[i] !== byte)) return ["The end of the logo is missing.", "Copy the whole text again."];
  if ((text.length / 4) * 3 > MAX_BYTES)
    return [`The logo is larger than ${MAX_BYTES / 1024} kB.`, "Save it with fewer pixels or fewer colours."];
  const [width, height] = [readNumber(head, 16), readNumber(head, 20)];
  if (width !== height || width < SIDES.least || width > SIDES.most)
    return [
      `The logo has ${width} × ${height} pixels.`,
      `It must be a square with sides of ${SIDES.least} to ${SIDES.most} pixels.`,
    ];
  if (head[28] !== 0) return ["The logo is interlaced.", "Save it without interlacing."];
  return undefined;
};

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The bytes of some groups of four digits. */
const decode = (text: string): readonly number[] =>
  (text.match(/.{4}/gu) ?? []).flatMap((group) => {
    const digits = group.replaceAll("=", "");
    const bits = [...digits].reduce((sum, digit) => sum * 64 + DIGITS.indexOf(digit), 0) * 64 ** (4 - digits.length);
    return [bits >> 16, (bits >> 8) & 255, bits & 255].slice(0, digits.length - 1);
  });

const readNumber = (bytes: readonly number[], at: number): number =>
  bytes.slice(at, at + 4).reduce((sum, byte) => sum * 256 + byte, 0);
