import { createContext, type ReactNode, useContext } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";

const FilesAt = createContext<string | null>(null);

/** Where the files of a record are, for the fields below. */
export const FilesOf = ({
  entity,
  record,
  children,
}: {
  entity: EntityJson;
  record: RecordJson | null;
  children: ReactNode;
}) => <FilesAt value={record && `${entity.calls}/${record.id}/files`}>{children}</FilesAt>;

/** The address of a file: by way of its record, or, while no record names it, for whoever sent it. */
export const useFileAddress = (): ((id: string, fresh: boolean) => string) => {
  const base = useContext(FilesAt);
  return (id, fresh) => `${fresh || base === null ? "/_/files" : base}/${id}`;
};
