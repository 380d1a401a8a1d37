import type { EntityJson } from "../../core/wire.ts";
import { buttonClass } from "../part/button.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { useWords } from "../words/words.tsx";
import { RefusedButton } from "./why.tsx";

/** Making one: there, refused with its reason, or absent where no screen makes one. */
export const CreateControl = ({ entity, path }: { entity: EntityJson; path: string | null }) => {
  const { say } = useWords();
  if (path === null) return null;
  const words = say("form.new", { thing: entity.one });
  if (entity.create)
    return (
      <Link href={path} className={buttonClass("primary", "from-tablet")}>
        <Icon name="plus" />
        {words}
      </Link>
    );
  return entity.createRefused ? <RefusedButton label={words} why={entity.createRefused} /> : null;
};
