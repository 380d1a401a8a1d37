import type { EntityJson } from "../../core/wire.ts";
import { buttonClass } from "../part/button.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { useWords } from "../words/words.tsx";

/** Making one: absent where no screen makes one, or where no clause would ever let this person. */
export const CreateControl = ({ entity, path }: { entity: EntityJson; path: string | null }) => {
  const { say } = useWords();
  if (path === null || entity.create === null) return null;
  return (
    <Link href={path} className={buttonClass("primary", "from-tablet")}>
      <Icon name="plus" />
      {say("form.new", { thing: entity.one })}
    </Link>
  );
};
