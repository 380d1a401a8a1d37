import type { ReactNode } from "react";
import { usePerson } from "../app/app-context.tsx";
import { Link } from "./link.tsx";

/** The id of the deciding clause. Written left to right in every language. */
export const ClauseId = ({ of }: { of: string }) => (
  <code className="clause" dir="ltr">
    <Breakable id={of} />
  </code>
);

/** A line ends after a dot rather than within a name. */
const Breakable = ({ id }: { id: string }): ReactNode => {
  const end = id.indexOf(".") + 1;
  if (end === 0 || end === id.length) return id;
  return (
    <>
      {id.slice(0, end)}
      <wbr />
      <Breakable id={id.slice(end)} />
    </>
  );
};

/** A link to the clause behind a sentence, for administrators: the sentence says enough to people who cannot open it. */
export const ClauseNote = ({ of }: { of: string | null | undefined }) =>
  usePerson()?.administrator && typeof of === "string" ? <ClauseLink of={of} /> : null;

/** For administrators, a link to the clause in the document; otherwise its id. */
export const ClauseLink = ({ of }: { of: string }) =>
  usePerson()?.administrator ? (
    <Link className="clause-link" href={`/workbench/document?clause=${encodeURIComponent(of)}`}>
      <ClauseId of={of} />
    </Link>
  ) : (
    <ClauseId of={of} />
  );
