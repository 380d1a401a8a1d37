/**
 * A token in the fragment of the address. It is not sent to the server automatically, and is removed from the address.
 */
export type LinkToken =
  | { readonly kind: "demonstration"; readonly token: string }
  | { readonly kind: "preview"; readonly token: string }
  | { readonly kind: "first"; readonly token: string }
  | { readonly kind: "password"; readonly token: string }
  /** Ends mails about notifications. */
  | { readonly kind: "mails"; readonly token: string }
  /** Makes one transition of a record. */
  | { readonly kind: "act"; readonly token: string }
  | { readonly kind: "registration"; readonly token: string }
  /** The reason why signing in at a provider failed. */
  | { readonly kind: "failed"; readonly token: string };

export const parseHanded = (fragment: string): LinkToken | null => {
  const params = new URLSearchParams(fragment.replace(/^#/, ""));
  const [demonstration, first, password] = [params.get("demo"), params.get("first"), params.get("password")];
  const [registration, failed] = [params.get("sign-up"), params.get("failed")];
  const [preview, mails, act] = [params.get("preview"), params.get("stop-mails"), params.get("act")];
  if (act) return { kind: "act", token: act };
  if (mails) return { kind: "mails", token: mails };
  if (preview) return { kind: "preview", token: preview };
  if (registration) return { kind: "registration", token: registration };
  if (failed) return { kind: "failed", token: failed };
  if (demonstration) return { kind: "demonstration", token: demonstration };
  if (password) return { kind: "password", token: password };
  return first ? { kind: "first", token: first } : null;
};
