import { createContext, type ReactNode, useContext } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";

const FilesAt = createContext<string | null>(null);

/** Provides the base address of a record's files to its fields. */
export const FileAddressProvider = ({
  entity,
  record,
  children,
}: {
  entity: EntityJson;
  record: RecordJson | null;
  children: ReactNode;
}) => <FilesAt value={record && `${entity.calls}/${record.id}/files`}>{children}</FilesAt>;

/** The address of a file: through its record or, before it belongs to one, for its uploader. */
export const useFileAddress = (): ((id: string, fresh: boolean) => string) => {
  const base = useContext(FilesAt);
  return (id, fresh) => `${fresh || base === null ? "/_/files" : base}/${id}`;
};
