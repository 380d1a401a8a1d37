/** A part of an object: the offsets of its first and last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Keeps the bytes of files outside the database. Keys are never reused. */
export interface ObjectStore {
  /** Where it is, for logs and messages. */
  readonly address: string;
  /** Stores an object. If `bytes` fail, nothing is stored and their error is thrown. Throws `ObjectStoreAway`. */
  put(key: string, bytes: AsyncIterable<Buffer>): Promise<void>;
  /** Opens an object. Throws `ObjectMissing` and `ObjectStoreAway`, also while the bytes are read. */
  get(key: string, range?: ByteRange): Promise<AsyncIterable<Buffer>>;
  /** Deletes an object. Succeeds if there is none. Throws `ObjectStoreAway`. */
  remove(key: string): Promise<void>;
  /** Throws `ObjectStoreAway` if objects cannot be stored. */
  check(): Promise<void>;
  close(): void;
}

/** Thrown if the store does not answer or refuses the program. */
export class ObjectStoreAway extends Error {
  override readonly name = "ObjectStoreAway";
}

/** Thrown if the store does not have an object. */
export class ObjectMissing extends Error {
  override readonly name = "ObjectMissing";
}

/** Thrown for a file in an object store if the program was started without one. */
export class NoObjectStore extends Error {
  override readonly name = "NoObjectStore";
}
