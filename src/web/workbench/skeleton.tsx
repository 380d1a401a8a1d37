import { useWords } from "../i18n/words.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";

/** Placeholder for the panes. */
export const PanesSkeleton = () => {
  const { say } = useWords();
  return (
    <div className="panes skeleton" aria-busy="true">
      <p className="hidden-words">{say("loading")}</p>
      <div className="outline">
        {["60%", "72%", "48%", "66%", "54%", "70%"].map((width) => (
          <SkeletonLine key={width} width={width} />
        ))}
      </div>
      <div className="sheet">
        <article>
          {["40%", "88%", "70%", "92%", "64%", "80%"].map((width) => (
            <SkeletonLine key={width} width={width} />
          ))}
        </article>
      </div>
      <div className="side-pane" />
    </div>
  );
};
