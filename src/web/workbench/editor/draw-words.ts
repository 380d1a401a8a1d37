/** Draws sentences of an explanation, which have `**strong**` words and code in backticks. */
export const drawWords = (lines: readonly string[]): HTMLElement => {
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
  return box;
};
