import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ViewJson } from "../../core/wire/lists.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, usePerson, useTools } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { PopupPanel, usePopup } from "../ui/overlay/popup.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { useFailureWords } from "../ui/page/problem-note.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { useViews } from "./filter/use-views.ts";

const SaveViewDialog = lazyDialog(() => import("./save-view-dialog.tsx"));

/** Saves the filters and order of the list under a name, and opens saved views. */
export const ViewsButton = ({ screen, query }: { screen: ListScreenJson; query: string }) => {
  const { calls, queries } = useClient();
  const person = usePerson();
  const { say } = useWords();
  const toast = useToast();
  const sentence = useFailureWords();
  const popup = usePopup();
  const [saving, setSaving] = useState(false);
  const views = useViews().data?.items.filter((view) => view.screen === screen.path) ?? [];
  const readAgain = () => queries.invalidateQueries({ queryKey: keys.views(person?.id ?? "") });
  const bringBack = useMutation({
    mutationFn: ({ screen, title, query, shared }: ViewJson) => calls.saveView({ screen, title, query, shared }),
    onSuccess: (_, { title }) => toast(say("trash.back.done", { label: title })),
    onError: (thrown, { title }) =>
      toast(`${say("trash.back.failed", { label: title })}. ${sentence(toFailure(thrown))}`),
    onSettled: readAgain,
  });
  const remove = useMutation({
    mutationFn: ({ id }: ViewJson) => calls.removeView(id),
    onSuccess: (_, view) => toast(say("views.removed", { title: view.title }), () => bringBack.mutate(view)),
    onError: (thrown, { title }) => toast(`${say("views.not.removed", { title })}. ${sentence(toFailure(thrown))}`),
    onSettled: readAgain,
  });
  useTools({
    [say("views.save")]: () => setSaving(true),
    ...Object.fromEntries(
      views
        .filter(({ own }) => own)
        .map((view) => [
          say("label.value", { label: say("views.title"), value: say("views.remove", { title: view.title }) }),
          () => remove.mutate(view),
        ]),
    ),
  });
  if (!person) return null;
  return (
    <>
      <IconButton
        icon="view"
        small
        label={say("views.title")}
        words={say("views.title")}
        aria-haspopup="dialog"
        {...popup.control}
      />
      <PopupPanel popup={popup} side="end" label={say("views.title")} className="views">
        {views.length === 0 && <p className="small-words">{say("views.none")}</p>}
        <ul>
          {views.map((view) => (
            <li key={view.id}>
              <Link
                className="menu-item"
                href={view.query === "" ? screen.path : `${screen.path}?${view.query}`}
                onClick={popup.close}
              >
                <Icon name={view.shared ? "people" : "person"} />
                <bdi className="cut">{view.title}</bdi>
                {view.shared && <span className="menu-note">{say("views.shared")}</span>}
              </Link>
              {view.own && (
                <IconButton
                  icon="close"
                  small
                  size={14}
                  label={say("views.remove", { title: view.title })}
                  onClick={() => {
                    // The button disappears with its view.
                    popup.panel.current?.focus({ preventScroll: true });
                    remove.mutate(view);
                  }}
                />
              )}
            </li>
          ))}
        </ul>
        <Button
          small
          icon="plus"
          aria-haspopup="dialog"
          onClick={() => {
            popup.close();
            setSaving(true);
          }}
        >
          {say("views.save")}
        </Button>
      </PopupPanel>
      {saving && (
        <LoadingBoundary fallback={null}>
          <SaveViewDialog screen={screen} query={query} onClose={() => setSaving(false)} />
        </LoadingBoundary>
      )}
    </>
  );
};
