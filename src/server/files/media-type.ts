/**
 * Detects the media type from the content; the type declared by the uploader is ignored. An HTML page declared as an
 * image is plain text here. Anything that could be executed is text or bytes.
 */
export const detectMediaType = (bytes: Buffer, name: string): string => {
  for (const [type, at, ...marks] of signatures)
    if (marks.some((mark) => bytes.subarray(at, at + mark.length).equals(Buffer.from(mark, "latin1")))) {
      if (type !== "application/zip") return type;
      return offices[getExtension(name)] ?? type;
    }
  if (bytes.length === 0 || isText(bytes)) return texts[getExtension(name)] ?? "text/plain";
  return "application/octet-stream";
};

type Signature = readonly [type: string, at: number, ...marks: string[]];

const signatures: readonly Signature[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF87a", "GIF89a"],
  ["image/webp", 8, "WEBPVP8"],
  ["image/avif", 4, "ftypavif", "ftypavis"],
  ["application/pdf", 0, "%PDF-"],
  ["application/zip", 0, "PK\x03\x04", "PK\x05\x06"],
  ["application/gzip", 0, "\x1f\x8b"],
  ["video/mp4", 4, "ftypisom", "ftypmp42", "ftypM4V ", "ftypqt  "],
  ["video/webm", 0, "\x1a\x45\xdf\xa3"],
  ["audio/mpeg", 0, "ID3", "\xff\xfb"],
  ["audio/ogg", 0, "OggS"],
];

const office = "application/vnd.openxmlformats-officedocument";
const offices: { readonly [extension: string]: string } = {
  docx: `${office}.wordprocessingml.document`,
  xlsx: `${office}.spreadsheetml.sheet`,
  pptx: `${office}.presentationml.presentation`,
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
};

const texts: { readonly [extension: string]: string } = {
  csv: "text/csv",
  json: "application/json",
  md: "text/markdown",
};

const getExtension = (name: string): string => /\.([a-z0-9]{1,5})$/iu.exec(name)?.[1]?.toLowerCase() ?? "";

/** Tab, line feed, form feed, carriage return, escape. */
const SPACES: ReadonlySet<number> = new Set([9, 10, 12, 13, 27]);

/** UTF-8 without control characters; the last character may be cut off. */
const isText = (bytes: Buffer): boolean => {
  if (bytes.some((byte) => byte < 0x20 && !SPACES.has(byte))) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
};
