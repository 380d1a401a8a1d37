/** A guess at the name of a person: `ada.lovelace@example.com` becomes `Ada Lovelace`. Never empty for an address. */
export const nameFromAddress = (email: string): string => {
  const [account = ""] = email.split("@");
  const words = account
    .split(/[._+-]+/u)
    .filter((part) => part !== "")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(" ");
  return words === "" ? account : words;
};
