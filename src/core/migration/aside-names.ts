import { shortHash } from "../derive/tables/names.ts";

/** A name that no document can use, for values whose own name is needed for something else. */
export const asideName = (name: string, version: number): string => {
  const aside = `${name}#${version}`;
  return aside.length <= 63 ? aside : `${name.slice(0, 40)}#${version}#${shortHash(name)}`;
};

/** The name under which the former values of a retired field are stored, so that no other field can claim them. */
export const formerOfRetired = ({ column, version }: { readonly column: string; readonly version: number }): string =>
  column.includes("#") ? column : asideName(column, version);
