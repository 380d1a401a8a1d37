/** A guess at the name of a person: `ada.lovelace@example.com` becomes `Ada Lovelace`. */
export const nameFromAddress = (email: string): string =>
  email
    .replace(/@.*$/u, "")
    .split(/[._+-]+/u)
    .filter((part) => part !== "")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(" ");
