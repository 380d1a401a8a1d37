/** What the address hands over after its `#`: it never reaches a server by itself, and is taken out of the address. */
export type Handed =
  | { readonly kind: "demonstration"; readonly token: string }
  | { readonly kind: "first"; readonly token: string }
  | { readonly kind: "password"; readonly token: string };

export const handedIn = (fragment: string): Handed | null => {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const [demonstration, first, password] = [given.get("demo"), given.get("first"), given.get("password")];
  if (demonstration) return { kind: "demonstration", token: demonstration };
  if (password) return { kind: "password", token: password };
  return first ? { kind: "first", token: first } : null;
};
