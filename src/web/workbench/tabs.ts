import type { WordId } from "../../core/i18n/catalogue.ts";
import type { PersonJson } from "../../core/wire/application.ts";
import { matchPage } from "../routing/routes.ts";
import type { IconName } from "../ui/icon.tsx";

interface WorkbenchTab {
  readonly path: string;
  readonly icon: IconName;
  readonly words: WordId;
}

const tabs: readonly WorkbenchTab[] = [
  { path: "/workbench", icon: "list", words: "menu.workbench.open" },
  { path: "/workbench/document", icon: "document", words: "menu.workbench.document" },
  { path: "/workbench/versions", icon: "versions", words: "menu.workbench.versions" },
  { path: "/workbench/proposals", icon: "check", words: "menu.workbench.proposals" },
  { path: "/workbench/map", icon: "map", words: "menu.workbench.map" },
  { path: "/workbench/who", icon: "who", words: "menu.workbench.who" },
];

/** The tabs of the workbench that a person may open, which the command palette finds too. */
export const listWorkbenchTabs = (person: PersonJson | null): readonly WorkbenchTab[] =>
  tabs.filter(({ path }) => matchPage(person, path) !== null);
