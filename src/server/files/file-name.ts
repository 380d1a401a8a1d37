const MAX_NAME_LENGTH = 200;

/** A file name without folders and invalid characters, limited in length. */
export const toFileName = (sentName: string): string => {
  const last = sentName.normalize("NFC").split(/[/\\]/u).at(-1) ?? "";
  const name = last.replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "").trim();
  return [...name].slice(-MAX_NAME_LENGTH).join("") || "file";
};

/** The name of a file that the program makes, without characters that a file system refuses. */
export const nameFile = (title: string, type: string): string =>
  `${title.replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*\s]+/gu, " ").trim() || "file"}.${type}`;

/** "25 MB", "500 kB". */
export const formatByteSize = (bytes: number): string =>
  bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : bytes >= 1_000 ? `${bytes / 1_000} kB` : `${bytes} bytes`;
