/** A4 in points. */
const PAGE = { width: 595, height: 842 };

const LEFT = 72;

/** Widths of the lines of a paragraph that cannot be read, as shares of the page between its margins. */
const LINES = [0.96, 0.91, 0.98, 0.87, 0.42, 0, 0.95, 0.99, 0.9, 0.63, 0, 0.3, 0.22];

const notes: ReadonlyMap<string, string> = new Map([
  ["de", "Beispieldatei dieser Demonstration"],
  ["fr", "Fichier de démonstration"],
]);

/** The note in a sample file, in the language of the document. */
export const sampleNote = (locale: string): string =>
  notes.get(locale.split("-", 1)[0] ?? "") ?? "Sample file of this demonstration";

/**
 * Generates a PDF of one page: a heading, a note that it is a sample, and grey bars where a paper has its text. It uses a
 * font of the viewer, so characters beyond Latin-1 are left out.
 */
export const samplePaper = (title: string, locale: string): Buffer => {
  const bars = LINES.map((share, at) =>
    share === 0 ? "" : `${LEFT} ${640 - at * 22} ${Math.round((PAGE.width - 2 * LEFT) * share)} 8 re f`,
  );
  const content = [
    `BT /F1 20 Tf ${LEFT} 740 Td ${toPdfString(title)} Tj ET`,
    `0.4 g BT /F1 11 Tf ${LEFT} 714 Td ${toPdfString(sampleNote(locale))} Tj ET`,
    "0.88 g",
    ...bars.filter((bar) => bar !== ""),
  ].join("\n");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  const starts: number[] = [];
  let text = "%PDF-1.4\n";
  for (const [at, object] of objects.entries()) {
    starts.push(text.length);
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const entries = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
};

/** One character is one byte, so lengths of the text are those of the file. */
const toPdfString = (text: string): string =>
  `(${text.replaceAll(/[^\u0020-\u00ff]/gu, "").replaceAll(/[\\()]/gu, (sign) => `\\${sign}`)})`;
