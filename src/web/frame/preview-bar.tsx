import { toFailure } from "../api/api-error.ts";
import { useApplication, useClient, useDelayed, usePerson, useStore } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { EndPreviewButtons, useEndPreview } from "../ui/page/end-preview.tsx";

/** Marks every page of a preview, with a link back and, for administrators, a button that ends it. */
const PreviewBar = () => {
  const { calls, connection } = useClient();
  const isAway = useDelayed(useStore(connection) === "unreachable", 3_000);
  const { preview } = useApplication();
  const { say, show } = useWords();
  const person = usePerson();
  const end = useEndPreview({
    readUse: () => calls.previewUse(null),
    end: () => calls.endPreview(),
    onEnded: () => {
      if (preview?.original != null) window.location.assign(`${preview.original}/workbench`);
    },
  });
  const { ending, error, question } = end;
  const isSaid = isAway || !ending.isIdle || error !== null || question !== null;
  if (preview === undefined) return null;
  const { base, endsAt, masked, hasData, original } = preview;
  const data = hasData ? (masked ? "masked" : "copy") : "sample";
  return (
    <aside className="preview-bar" aria-label={say("preview.title")}>
      <Icon name="show" />
      <p role={isSaid ? "status" : undefined}>
        {ending.isSuccess
          ? say("preview.ended")
          : error && toFailure(error).kind !== "signed out"
            ? say("preview.end.failed")
            : isAway
              ? say("preview.away")
              : (question ?? say("preview.bar", { data, base, until: show.moment(endsAt) }))}
      </p>
      {original !== null && question === null && (
        <a className="button small" href={original}>
          {say("preview.back")}
        </a>
      )}
      {person?.administrator && !ending.isSuccess && <EndPreviewButtons {...end} />}
    </aside>
  );
};

export default PreviewBar;
