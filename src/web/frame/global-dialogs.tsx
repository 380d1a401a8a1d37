import { useEffect, useMemo } from "react";
import { useAddress, useApplication, useClient, useKeys, usePerson, useStore } from "../app/app-context.tsx";
import { PlatformWordsProvider } from "../i18n/words.tsx";
import { findSubject } from "../routing/routes.ts";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { PaletteHost } from "./palette/palette-host.tsx";

const SignInAgain = lazyDialog(() => import("./signed-out.tsx"));
const HelpDialog = lazyDialog(() => import("./help-dialog.tsx"));
const CreateDialog = lazyDialog(() => import("../form/create-dialog.tsx"));
const WayBackDialog = lazyDialog(() => import("../actions/way-back-dialog.tsx"));
const NameDeputy = lazyDialog(() => import("../people/account/name-deputy.tsx"));
const PermissionsDialog = lazyDialog(() => import("../permissions/permissions-dialog.tsx"));

/** The dialogs that can open above any page. Their code loads when they open. */
export const GlobalDialogs = () => (
  // Inside of a section, the heads and feet of dialogs are no landmarks of the page.
  <section>
    <SignedOutHost />
    <HelpHost />
    <PaletteHost />
    <DeputyHost />
    <PermissionsHost />
    <CreationHost />
    <WayBackHost />
  </section>
);

/** Shown when the session has ended: sign in above the page, which remains. */
const SignedOutHost = () => {
  const { signedOut } = useClient();
  const person = usePerson();
  return useStore(signedOut) && person ? (
    <LoadingBoundary fallback={null}>
      <SignInAgain onClose={() => window.location.reload()} />
    </LoadingBoundary>
  ) : null;
};

/** The help, opened by ?, the menu of the person and the command palette. */
const HelpHost = () => {
  const { help } = useClient();
  const shown = useStore(help);
  const person = usePerson();
  const shortcuts = useMemo(() => ({ "?": () => help.set("keys") }), [help]);
  useKeys(shortcuts);
  return shown && person ? (
    <LoadingBoundary fallback={null}>
      <HelpDialog isForKeys={shown === "keys"} onClose={() => help.set(null)} />
    </LoadingBoundary>
  ) : null;
};

/** The dialog to name a deputy, opened by the account page, the menu of the person and the command palette. */
const DeputyHost = () => {
  const { namingDeputy } = useClient();
  const { path } = useAddress();
  const person = usePerson();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => namingDeputy.set(false), [namingDeputy, path]);
  return useStore(namingDeputy) && person ? (
    <LoadingBoundary fallback={null}>
      <PlatformWordsProvider>
        <NameDeputy onClose={() => namingDeputy.set(false)} />
      </PlatformWordsProvider>
    </LoadingBoundary>
  ) : null;
};

/** Explanations of permissions, opened by W on a list or record, and by refused controls. */
const PermissionsHost = () => {
  const { permissionQuestion, palette } = useClient();
  const { screens } = useApplication();
  const { path } = useAddress();
  const person = usePerson();
  const question = useStore(permissionQuestion);
  const subject = findSubject(screens, path);
  const shortcuts = useMemo(
    () => ({ w: () => !palette.get() && permissionQuestion.get() === null && permissionQuestion.set(subject) }),
    [permissionQuestion, palette, subject],
  );
  useKeys(shortcuts);
  // A question belongs to the page on which it was asked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => permissionQuestion.set(null), [permissionQuestion, path]);
  return question && person ? (
    <LoadingBoundary fallback={null}>
      <PermissionsDialog question={question} onClose={() => permissionQuestion.set(null)} />
    </LoadingBoundary>
  ) : null;
};

/** The dialogs that create records for choices. They are outside of the forms that ask for them. */
const CreationHost = () => {
  const { creations } = useClient();
  const { path } = useAddress();
  const all = useStore(creations);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => creations.set([]), [creations, path]);
  return (
    <LoadingBoundary fallback={null}>
      {all.map((creation, depth) => (
        <CreateDialog
          key={`${creation.entity} ${creation.typed}`}
          creation={creation}
          onClose={() => creations.set(creations.get().slice(0, depth))}
        />
      ))}
    </LoadingBoundary>
  );
};

/** The dialog of a transition that takes the last one back. The row in which that was made may be gone. */
const WayBackHost = () => {
  const { wayBack } = useClient();
  const { entities } = useApplication();
  const { path } = useAddress();
  const request = useStore(wayBack);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => wayBack.set(null), [wayBack, path]);
  const entity = entities[request?.entity ?? ""];
  return request && entity ? (
    <LoadingBoundary fallback={null}>
      <WayBackDialog entity={entity} wayBack={request} onClose={() => wayBack.set(null)} />
    </LoadingBoundary>
  ) : null;
};
