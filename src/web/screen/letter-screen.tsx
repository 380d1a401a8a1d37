import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { LetterJson, LetterPartJson } from "../../core/wire/letters.ts";
import type { LetterScreenJson } from "../../core/wire/screens.ts";
import { type Failure, toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useCommands, useDelayed, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { LOGO } from "../ui/avatar.tsx";
import { Button } from "../ui/control/button.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { FailedRegion, Progress, SkeletonLine } from "../ui/page/region-status.tsx";
import "./letter.css";

interface LetterProps {
  readonly screen: LetterScreenJson;
  readonly entity: EntityJson;
  readonly id: string;
}

/** The letter of a record on a sheet of paper, to read, print and save. */
const LetterScreen = ({ screen, entity, id }: LetterProps) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const [language, setLanguage] = useState("");
  const query = useQuery({
    queryKey: keys.letter(entity.calls, screen.path, id, language),
    queryFn: ({ signal }) => calls.letter(screen.path, id, language, signal),
    placeholderData: (before) => before,
  });
  const letter = query.data;
  const loading = useDelayed(query.isPending);
  const refreshing = useDelayed(query.isFetching && !query.isPending, 400);
  const languageId = useId();
  useTitle(screen.title);
  const download = () => calls.downloadLetter(screen.path, id, letter?.language ?? "");
  const print = () => window.print();
  useCommands(
    letter
      ? [
          { label: say("letter.download"), run: download },
          { label: say("record.print"), run: print },
          ...letter.languages
            .filter((tag) => tag !== letter.language)
            .map((tag) => ({ label: nameLanguage(tag), note: say("letter.language"), run: () => setLanguage(tag) })),
        ]
      : [],
  );

  const failure = toFailureOf(query);
  if (failure?.kind === "refused" && failure.problem.status === 404) return <NotFound />;
  const record = recordAddress(screens, entity.name, id);
  const list = findListScreen(screens, entity.name);
  const trail = [
    ...(list ? [{ label: list.title, href: list.path }] : []),
    ...(record === null ? [] : [{ label: letter?.label || entity.one, href: record }]),
  ];
  return (
    <article className="letter">
      <Progress shown={refreshing} />
      <Breadcrumbs trail={trail} />
      <header className="letter-head">
        <h1>{screen.title}</h1>
        <div className="actions">
          {letter && letter.languages.length > 1 && (
            <>
              <label className="hidden-words" htmlFor={languageId}>
                {say("letter.language")}
              </label>
              <select
                id={languageId}
                className="box"
                value={letter.language}
                onChange={({ target }) => setLanguage(target.value)}
              >
                {letter.languages.map((tag) => (
                  <option key={tag} value={tag}>
                    {nameLanguage(tag)}
                  </option>
                ))}
              </select>
            </>
          )}
          <Button icon="document" onClick={download} disabled={!letter}>
            {say("letter.download")}
          </Button>
          <Button icon="print" look="primary" onClick={print} disabled={!letter}>
            {say("record.print")}
          </Button>
        </div>
      </header>
      {letter ? (
        <Sheet letter={letter} />
      ) : failure ? (
        <FailedRegion failure={withReason(failure)} retry={() => void query.refetch()} />
      ) : (
        loading && (
          <div className="letter-sheet" aria-busy="true">
            <p className="hidden-words" role="status">
              {say("loading")}
            </p>
            {["30%", "24%", "52%", "88%", "80%", "84%"].map((width) => (
              <SkeletonLine key={width} width={width} />
            ))}
          </div>
        )
      )}
    </article>
  );
};

/** A record without the letter has a reason of its own. */
const withReason = (failure: Failure): Failure =>
  failure.kind === "refused" && failure.problem.because !== undefined
    ? { ...failure, problem: { ...failure.problem, detail: failure.problem.because } }
    : failure;

/** "Deutsch", in the language itself. */
const nameLanguage = (tag: string): string => {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
};

const Sheet = ({ letter }: { letter: LetterJson }) => (
  <div className="letter-sheet" lang={letter.language}>
    {useApplication().logo && <img className="letter-logo" src={LOGO} alt="" width={64} height={64} />}
    {letter.parts.map((part, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a letter have no other identity
      <Part key={i} part={part} />
    ))}
  </div>
);

const Part = ({ part }: { part: LetterPartJson }) => {
  if (part.kind === "heading") return <h2>{part.lines.join(" ")}</h2>;
  if (part.kind !== "table")
    return (
      <p dir="auto">
        {part.lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
          <span key={i}>{line}</span>
        ))}
      </p>
    );
  return <Table part={part} />;
};

const Table = ({ part }: { part: Extract<LetterPartJson, { kind: "table" }> }) => {
  const side = (i: number) => (part.columns[i]?.isNumber ? "figures" : undefined);
  return (
    <section
      className="letter-table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
      tabIndex={0}
      aria-label={part.columns.map(({ title }) => title).join(", ")}
    >
      <table>
        <thead>
          <tr>
            {part.columns.map(({ title }, i) => (
              <th key={title} scope="col" className={side(i)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {part.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <tr key={at}>
              {row.map((cell, i) => (
                <td key={part.columns[i]?.title} className={side(i)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {part.totals && (
          <tfoot>
            <tr>
              {part.totals.map((cell, i) => (
                <td key={part.columns[i]?.title} className={side(i)}>
                  {cell}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
};

export default LetterScreen;
