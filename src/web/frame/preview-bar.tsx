import { useMutation } from "@tanstack/react-query";
import { toFailure } from "../api/api-error.ts";
import { useApplication, useClient, usePerson } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** Marks every page of a preview, with a link back and, for administrators, a button that ends it. */
export const PreviewBar = () => {
  const { calls } = useClient();
  const { preview } = useApplication();
  const { say, show } = useWords();
  const person = usePerson();
  const end = useMutation({
    mutationFn: () => calls.endPreview(),
    retry: false,
    onSuccess: () => {
      if (preview?.original != null) window.location.assign(`${preview.original}/workbench`);
    },
  });
  if (preview === undefined) return null;
  const { base, endsAt, masked, hasData, original } = preview;
  const data = hasData ? (masked ? "masked" : "copy") : "sample";
  return (
    <aside className="preview-bar" aria-label={say("preview.title")}>
      <Icon name="show" />
      <p role={end.isIdle ? undefined : "status"}>
        {end.isSuccess
          ? say("preview.ended")
          : end.error && toFailure(end.error).kind !== "signed out"
            ? say("preview.end.failed")
            : say("preview.bar", { data, base, until: show.moment(endsAt) })}
      </p>
      {original !== null && (
        <a className="button small" href={original}>
          {say("preview.back")}
        </a>
      )}
      {person?.administrator && !end.isSuccess && (
        <Button small busy={end.isPending} onClick={() => end.isPending || end.mutate()}>
          {say("preview.end")}
        </Button>
      )}
    </aside>
  );
};
