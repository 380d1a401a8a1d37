import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "../api/query-keys.ts";
import { useClient, useEntity } from "../app/app-context.tsx";
import { initialOf, initialsOf, PEOPLE } from "../format/names.ts";

interface AvatarProps {
  readonly name: string;
  /** Whose record it is, where there may be a picture. */
  readonly of?: string | undefined;
  readonly large?: boolean;
}

/**
 * Grey always: a coloured mark would mean something. The name stands beside it; a picture lies over the initials once it is
 * there. They are drawn by the sheet and are no text: what stands here is the name.
 */
export const Avatar = ({ name, of, large = false }: AvatarProps) => (
  <span className={large ? "avatar large" : "avatar"} data-initials={initialsOf(name)} aria-hidden="true">
    {of !== undefined && <Pictured of={of} />}
  </span>
);

/** Seldom changed, and said to be by whoever changes it. */
const FRESH = 10 * 60_000;

/** Where nobody's picture may be seen, a row of a list asks for none: to watch for an answer costs as much as to draw a cell. */
const Pictured = ({ of }: { of: string }) => {
  const people = useEntity(PEOPLE);
  const readable = people?.fields.some(({ name }) => name === "avatar") === true;
  return readable ? <Picture of={of} calls={people.calls} /> : null;
};

const Picture = ({ of, calls }: { of: string; calls: string }) => {
  const { pictureOf } = useClient();
  const [broken, setBroken] = useState<string | null>(null);
  const { data: file } = useQuery({
    queryKey: keys.picture(calls, of),
    queryFn: () => pictureOf(of),
    staleTime: FRESH,
    retry: false,
  });
  if (file === undefined || file === null || file === broken) return null;
  return (
    <img src={`${calls}/${of}/files/${file}`} alt="" loading="lazy" decoding="async" onError={() => setBroken(file)} />
  );
};

export const Tile = ({ name }: { name: string }) => (
  <span className="tile" aria-hidden="true">
    {initialOf(name)}
  </span>
);
