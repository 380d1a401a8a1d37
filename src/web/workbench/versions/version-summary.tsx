import { Fragment, useEffect, useRef, useState } from "react";
import { summarizeVersion } from "../../../core/change/version-summary.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useWords } from "../../i18n/words.tsx";
import { Link } from "../../ui/link.tsx";
import { useComparison } from "../plan/use-comparison.ts";
import { useVersion } from "./use-version.ts";

/** The changes of a version that matter most to people. They are compared once they are in sight, because both texts are needed. */
export const VersionSummary = ({ number }: { number: number }) => {
  const place = useRef<HTMLParagraphElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null || isSeen) return;
    const watch = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [isSeen]);
  return (
    <p className="version-summary" ref={place}>
      {isSeen ? <Summary number={number} /> : "\u00a0"}
    </p>
  );
};

const Summary = ({ number }: { number: number }) => {
  const { say } = useWords();
  const inWords = useMessages();
  const [before, after] = [useVersion(number - 1), useVersion(number)];
  const { comparison } = useComparison(before.data?.files, after.data?.files);
  if (comparison === undefined && before.error === null && after.error === null)
    return <span aria-busy="true">{say("behaviour.comparing")}</span>;
  const lines = comparison?.behaviour;
  // The comparison of both has the details of what failed.
  if (lines == null) return null;
  const summary = summarizeVersion(lines);
  const { more } = summary;
  if (summary.lines.length === 0) return say("versions.summary.none");
  return (
    <>
      {summary.lines.map((line, at) => {
        const { text, lang } = inWords(line.message, line.text);
        return (
          <Fragment key={text}>
            {at > 0 && " "}
            <span lang={lang}>{text}</span>
          </Fragment>
        );
      })}
      {more > 0 && (
        <>
          {" "}
          <Link
            className="link"
            href={`/workbench/compare?from=${number - 1}&to=${number}`}
            aria-describedby={`version-${number}`}
          >
            {say("versions.summary.more", { count: more })}
          </Link>
        </>
      )}
    </>
  );
};
