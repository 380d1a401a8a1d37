/** A link below an explanation. */
export interface ExplanationLink {
  readonly href: string;
  readonly text: string;
}

/** Draws sentences of an explanation, which have `**strong**` words and code in backticks, and a link that opens a new tab. */
export const drawExplanation = (lines: readonly string[], link?: ExplanationLink): HTMLElement => {
  const box = document.createElement("div");
  box.className = "explained";
  for (const line of lines) {
    const paragraph = box.appendChild(document.createElement("p"));
    for (const piece of line.split(/(\*\*[^*]+\*\*|`[^`]+`)/u)) {
      const [mark] = /^(?:\*\*|`)/u.exec(piece) ?? [];
      if (mark === undefined) paragraph.append(piece);
      else {
        const part = document.createElement(mark === "`" ? "code" : "strong");
        part.textContent = piece.slice(mark.length, -mark.length);
        paragraph.append(part);
      }
    }
  }
  if (link !== undefined) {
    const anchor = box.appendChild(document.createElement("p")).appendChild(document.createElement("a"));
    anchor.href = link.href;
    anchor.target = "_blank";
    anchor.textContent = link.text;
  }
  return box;
};
