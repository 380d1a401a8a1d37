import { Readable } from "node:stream";
import { ObjectMissing, type ObjectStore, ObjectStoreAway } from "./object-store.ts";

/** Milliseconds. A request without progress ends after `idle`. */
const timeouts = { connect: 3_000, idle: 15_000 };

/** Attempts for each request, with growing pauses. */
const ATTEMPTS = 3;

/** A bucket and the beginning of its keys, which is empty or ends with a slash. */
export interface BucketAddress {
  readonly bucket: string;
  readonly prefix: string;
}

/** Parses `s3://bucket/prefix`. Undefined if it is something else. */
export const parseBucketAddress = (text: string): BucketAddress | undefined => {
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/u.exec(text) ?? [];
  const prefix = path.replace(/^\/+|\/+$/gu, "");
  return bucket === undefined ? undefined : { bucket, prefix: prefix === "" ? "" : `${prefix}/` };
};

/**
 * Opens a bucket of any store that speaks the protocol of S3. The client reads its region, endpoint and credentials
 * from the usual variables: `AWS_REGION`, `AWS_ENDPOINT_URL_S3`, `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.
 */
export const openBucket = async ({ bucket, prefix }: BucketAddress): Promise<ObjectStore> => {
  // The version of the client is fixed here, so its notice about later versions helps nobody who reads the log.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  // Loaded on demand, because most applications keep their files in the database.
  const [{ S3Client, GetObjectCommand, DeleteObjectCommand, HeadBucketCommand }, { Upload }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("@aws-sdk/lib-storage"),
  ]);
  const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  const client = new S3Client({
    ...(process.env.AWS_REGION === undefined ? { region: "us-east-1" } : {}),
    // Stores other than Amazon's rarely have a host name for each bucket.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: timeouts.connect, socketTimeout: timeouts.idle },
    // Not every store knows these checksums. Ninefold compares SHA-256 itself.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const at = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` });
  return {
    address: `s3://${bucket}/${prefix}`,
    put: async (key, bytes) => {
      let failure: { readonly error: unknown } | undefined;
      const watched = async function* () {
        try {
          yield* bytes;
        } catch (error) {
          failure = { error };
          throw error;
        }
      };
      try {
        // One part of 5 MB at a time, so that the memory does not grow with the file.
        await new Upload({ client, params: { ...at(key), Body: Readable.from(watched()) }, queueSize: 1 }).done();
      } catch (error) {
        throw failure === undefined ? toStoreError(error) : failure.error;
      }
    },
    get: async (key, range) => {
      try {
        const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), Range }));
        return readBody(Body as Readable);
      } catch (error) {
        throw toStoreError(error);
      }
    },
    remove: async (key) => {
      await client.send(new DeleteObjectCommand(at(key))).catch((error: unknown) => {
        throw toStoreError(error);
      });
    },
    check: async () => {
      await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
        throw new ObjectStoreAway(getReason(error), { cause: error });
      });
    },
    close: () => client.destroy(),
  };
};

async function* readBody(body: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    throw toStoreError(error);
  }
}

const toStoreError = (error: unknown): ObjectMissing | ObjectStoreAway =>
  error instanceof Error && error.name === "NoSuchKey"
    ? new ObjectMissing("the store does not have this object", { cause: error })
    : new ObjectStoreAway(getReason(error), { cause: error });

/** The client's own text never contains the secret key. */
const getReason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return code === "" ? `${error.name}: ${error.message}` : code;
};
