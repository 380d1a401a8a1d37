import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { initialOf, initialsOf, PEOPLE } from "../client/names.ts";
import { keys } from "../client/queries.ts";
import { useClient, useEntity } from "./context.tsx";

interface AvatarProps {
  readonly name: string;
  /** Whose record it is, where there may be a picture. */
  readonly of?: string | undefined;
  readonly large?: boolean;
}

/** Grey always: a coloured mark would mean something. The name stands beside it; a picture lies over the initials once it is there. */
export const Avatar = ({ name, of, large = false }: AvatarProps) => (
  <span className={large ? "avatar large" : "avatar"} aria-hidden="true">
    {initialsOf(name)}
    {of !== undefined && <Picture of={of} />}
  </span>
);

/** Seldom changed, and said to be by whoever changes it. */
const FRESH = 10 * 60_000;

const Picture = ({ of }: { of: string }) => {
  const { pictureOf } = useClient();
  const people = useEntity(PEOPLE);
  const readable = people?.fields.some(({ name }) => name === "avatar") === true;
  const [broken, setBroken] = useState<string | null>(null);
  const { data: file } = useQuery({
    queryKey: keys.picture(people?.calls ?? "", of),
    queryFn: () => pictureOf(of),
    enabled: readable,
    staleTime: FRESH,
    retry: false,
  });
  if (!readable || file === undefined || file === null || file === broken) return null;
  return (
    <img
      src={`${people.calls}/${of}/files/${file}`}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setBroken(file)}
    />
  );
};

export const Tile = ({ name }: { name: string }) => (
  <span className="tile" aria-hidden="true">
    {initialOf(name)}
  </span>
);
