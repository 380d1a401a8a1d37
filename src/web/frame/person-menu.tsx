import { useMutation } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { DEPUTY } from "../../core/model/permissions.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useStore } from "../app/app-context.tsx";
import { nameOfLanguage } from "../format/names.ts";
import { useWords } from "../i18n/words.tsx";
import { NAME_DEPUTY } from "../routing/platform-pages.ts";
import { findWorkbench } from "../routing/routes.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";

const HelpDialog = lazyDialog(() => import("./help-dialog.tsx"));

/** The signed-in user's menu. `wide` is the form in the sidebar with the name. */
export const PersonMenu = ({ wide = false }: { wide?: boolean }) => {
  const { calls, queries, navigation, trail, preferences } = useClient();
  const { person, languages, locale, trash, entities, deputies = [] } = useApplication();
  const roomy = useStore(preferences.roomy);
  const { say } = useWords();
  const roleWords = useRoleWords();
  const toast = useToast();
  const popup = usePopup();
  const [helpShown, setHelpShown] = useState(false);
  const leave = useMutation({
    mutationFn: async () => {
      await preferences.saved();
      await calls.signOut();
    },
    onSuccess: async () => {
      preferences.belongTo(null);
      const application = await calls.application();
      trail.set(null);
      navigation.go("/sign-in", "replace");
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.application[0] });
      queries.setQueryData(keys.application, application);
    },
    onError: (thrown) => {
      if (toFailure(thrown).kind !== "signed out") toast(say("sign.out.failed"));
    },
  });
  if (!person) return null;
  const workbench = findWorkbench(person);
  const roles =
    person.roles.length > 0 ? roleWords.all(person.roles) : person.administrator ? say("person.administrator") : null;
  const items: readonly MenuItem[] = [
    { key: "account", label: say("account.title"), icon: "person", href: "/sign-in/account" },
    ...(deputies.length > 0 && entities[DEPUTY]?.create
      ? [
          {
            key: "deputy",
            label: say("deputies.name.open"),
            icon: "people" as const,
            href: `/sign-in/account?${NAME_DEPUTY}`,
          },
        ]
      : []),
    ...(trash ? [{ key: "trash", label: say("trash.title"), icon: "delete" as const, href: "/sign-in/trash" }] : []),
    ...languages
      .filter((language) => language !== locale)
      .map((language) => ({
        key: `language ${language}`,
        label: nameOfLanguage(language),
        icon: "language" as const,
        act: async () => {
          preferences.language.set(language);
          await preferences.saved();
          await queries.invalidateQueries();
        },
      })),
    {
      key: "density",
      label: say(roomy ? "person.dense" : "person.roomy"),
      icon: "density",
      act: () => preferences.roomy.set(!roomy),
      className: "from-tablet",
    },
    ...(person.administrator && !wide
      ? [{ key: "people", label: say("people.title"), icon: "people" as const, href: "/workbench/people" }]
      : []),
    ...(workbench !== null && !wide
      ? [{ key: "workbench", label: say("workbench.title"), icon: "document" as const, href: workbench }]
      : []),
    {
      key: "help",
      label: say("help.title"),
      icon: "why",
      act: () => setHelpShown(true),
      asks: true,
    },
    { key: "out", label: say("sign.out"), icon: "signOut", act: () => leave.mutate() },
  ];
  const name = say("person.menu", { name: person.name });
  return (
    <>
      <button
        type="button"
        className={wide ? "nav person" : "button quiet topbar-button"}
        aria-haspopup="menu"
        {...popup.control}
      >
        <Avatar name={person.name} of={person.id} large />
        <span className="hidden-words">{wide ? say("person.signed.in") : name}</span>
        {wide && (
          <span className="nav-words person-words">
            <bdi className="cut">{person.name}</bdi>
            {roles !== null && <span className="small-words cut">{roles}</span>}
          </span>
        )}
      </button>
      <Menu popup={popup} label={name} items={items} side={wide ? "start" : "end"}>
        <div className="menu-head">
          <bdi className="cut">{person.name}</bdi>
          {roles !== null && <span className="small-words cut">{roles}</span>}
        </div>
      </Menu>
      {helpShown && (
        <Suspense fallback={null}>
          <HelpDialog onClose={() => setHelpShown(false)} />
        </Suspense>
      )}
    </>
  );
};
