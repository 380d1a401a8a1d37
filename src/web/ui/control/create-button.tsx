import type { EntityJson } from "../../../core/wire/entities.ts";
import type { FormScreenJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { buttonClass } from "./button.tsx";

/** Label of the create button: the title of the document's form, or "New loan". */
export const useCreateLabel = () => {
  const { say } = useWords();
  return (screen: FormScreenJson | null, { one }: EntityJson): string =>
    screen === null || screen.title.toLowerCase() === one.toLowerCase()
      ? say("form.new", { thing: one })
      : screen.title;
};

/** The create button; absent if no screen creates records or this person never may. */
export const CreateButton = ({ entity, screen }: { entity: EntityJson; screen: FormScreenJson | null }) => {
  const createLabel = useCreateLabel();
  if (screen === null || entity.create === null) return null;
  return (
    <Link href={screen.path} className={buttonClass("primary", "from-tablet")}>
      <Icon name="plus" />
      {createLabel(screen, entity)}
    </Link>
  );
};
