/** A table of a file that became an entity of a drafted document. */
export interface DraftedTableJson {
  readonly entity: string;
  /** The file, and the sheet if there are several. */
  readonly source: string;
  readonly rows: number;
  readonly columns: number;
  /** Sentences about cells that were left out. */
  readonly leftOut: readonly string[];
}

/**
 * The rows of a table as a file to import, with the names of fields as its header. Its rows have the numbers that they have
 * in the drafted file.
 */
export interface DraftedRowsJson {
  readonly entity: string;
  /** The field by which records are found, if the rows complete records of an earlier file; null for new records. */
  readonly match: string | null;
  readonly rows: number;
  readonly csv: string;
}

/** `POST /_/draft`: a document drafted from a spreadsheet, and its rows in the order in which they can be imported. */
export interface DraftedFileJson {
  readonly text: string;
  readonly tables: readonly DraftedTableJson[];
  /** Sentences about sheets that were left out. */
  readonly remarks: readonly string[];
  readonly imports: readonly DraftedRowsJson[];
}
