import { useMutation } from "@tanstack/react-query";
import { DEPUTY } from "../../core/model/permissions.ts";
import { toFailure } from "../api/api-error.ts";
import { reload } from "../api/reload.ts";
import { useApplication, useClient, useStore } from "../app/app-context.tsx";
import { forgetPerson } from "../app/forget-person.ts";
import { useStandIns } from "../app/use-stand-ins.ts";
import { nameOfLanguage } from "../format/names.ts";
import { useWords } from "../i18n/words.tsx";
import { SHOW_DEPUTIES } from "../routing/platform-pages.ts";
import { findWorkbench } from "../routing/routes.ts";
import type { MenuItem } from "../ui/overlay/menu.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { useUndoLast } from "../ui/overlay/use-undo-last.ts";

/** Signs out, and shows the sign-in page without anything of the person. */
const useSignOut = () => {
  const client = useClient();
  const { calls, preferences } = client;
  const { say } = useWords();
  const toast = useToast();
  return useMutation({
    mutationFn: async () => {
      await preferences.saved();
      await calls.signOut();
    },
    onSuccess: () => forgetPerson(client),
    onError: (thrown) => {
      if (toFailure(thrown).kind !== "signed out") toast(say("sign.out.failed"));
    },
  });
};

/** Number of coming arrangements in a menu; the account page lists all. */
const MOST_COMING = 2;

/** The commands of the signed-in user, for the user's menu and the command palette. */
export const usePersonItems = (): readonly MenuItem[] => {
  const { queries, preferences, help, namingDeputy } = useClient();
  const { person, languages, locale, trash, entities, deputies } = useApplication();
  const roomy = useStore(preferences.roomy);
  const { say } = useWords();
  const leave = useSignOut();
  const { now, coming } = useStandIns();
  const undo = useUndoLast();
  const workbench = findWorkbench(person);
  if (person === null) return [];
  return [
    ...(undo === null ? [] : [undo]),
    ...[...now, ...coming.slice(0, MOST_COMING)].map(({ id, sentence, handed }, at) => ({
      key: `stand-in ${id}`,
      label: sentence,
      icon: "people" as const,
      // The dot at the person is about these.
      ...(at < now.length && { className: "menu-stands-in" }),
      href: `/sign-in/account?${SHOW_DEPUTIES}`,
      also: [
        ...(handed?.acts ?? []),
        say("menu.deputies"),
        say("menu.deputy"),
        say("menu.deputy.also"),
        say("menu.deputy.end"),
      ].join(", "),
    })),
    ...(coming.length > MOST_COMING
      ? [
          {
            key: "deputies",
            label: say("menu.deputies"),
            icon: "people" as const,
            href: `/sign-in/account?${SHOW_DEPUTIES}`,
            also: say("menu.deputy.also"),
          },
        ]
      : []),
    { key: "account", label: say("menu.account"), icon: "person", href: "/sign-in/account" },
    ...(deputies && entities[DEPUTY]?.create
      ? [
          {
            key: "deputy",
            label: say("menu.deputy"),
            icon: "people" as const,
            act: () => namingDeputy.set(true),
            asks: true as const,
            also: say("menu.deputy.also"),
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
          await reload(queries);
        },
      })),
    {
      key: "density",
      label: say(roomy ? "menu.dense" : "menu.roomy"),
      icon: "density",
      act: () => preferences.roomy.set(!roomy),
      className: "from-tablet",
    },
    ...(person.administrator
      ? [{ key: "people", label: say("menu.people"), icon: "people" as const, href: "/workbench/people" }]
      : []),
    ...(workbench !== null
      ? [{ key: "workbench", label: say("menu.workbench"), icon: "document" as const, href: workbench }]
      : []),
    {
      key: "help",
      label: say("help.title"),
      icon: "why",
      note: "?",
      className: "keyed",
      act: () => help.set("page"),
      asks: true,
    },
    { key: "out", label: say("sign.out"), icon: "signOut", act: () => leave.mutate() },
  ];
};
