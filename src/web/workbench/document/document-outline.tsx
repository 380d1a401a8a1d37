import { memo } from "react";
import type { OpenPoint } from "../../../core/model/model.ts";
import { useWords } from "../../i18n/words.tsx";
import { OpenMark } from "../marks.tsx";
import { points } from "../point-titles.ts";
import { getHeadingId } from "./document-view.tsx";

interface DocumentOutlineProps {
  /** The names of the files. */
  readonly files: readonly string[];
  readonly file: string;
  readonly open: readonly OpenPoint[];
  readonly onFile: (file: string) => void;
  /** Leads the text to the point too: the link itself scrolls the formatted view. */
  readonly onPoint: (point: number) => void;
}

/** The nine points with their open points, and the file if there are several. */
export const DocumentOutline = memo(({ files, file, open, onFile, onPoint }: DocumentOutlineProps) => {
  const { say } = useWords();
  return (
    <nav className="outline" aria-label={say("workbench.nine")}>
      {files.length > 1 ? (
        <label className="outline-file">
          <span className="hidden-words">{say("workbench.file")}</span>
          <select value={file} onChange={(event) => onFile(event.target.value)}>
            {files.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      ) : (
        <h2>{file}</h2>
      )}
      <ul>
        {[1, 2, 3, 4, 5, 6, 7, 8, 9].map((point) => {
          const count = open.filter((openPoint) => openPoint.point === point).length;
          return (
            <li key={point}>
              <a href={`#${getHeadingId(point)}`} onClick={() => onPoint(point)}>
                <span className="outline-number">{point}</span>
                <span>{say(points[point] ?? "point.0")}</span>
                {count > 0 && (
                  <span className="outline-count">
                    <OpenMark />
                    {count}
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
});
