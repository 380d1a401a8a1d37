import type { ErrorTexts, Unavailable } from "../../core/i18n/catalogue.ts";
import type { Problem } from "../../core/wire/problems.ts";
import { StoreAway, StoreBusy, StoreSlow } from "../../postgres/database.ts";
import { NoObjectStore, ObjectStoreAway } from "../../storage/object-store.ts";
import { TooManyRequests } from "../limits/turns.ts";
import { SignInBusy } from "../util/password-hash.ts";
import { VersionBehind } from "./repeat-request.ts";

/**
 * The response for a temporary failure: when to retry, and the reason for the log. Undefined for any other error. No
 * document changes these responses.
 */
export const unavailableResponse = (
  error: unknown,
  reference: string,
  words: ErrorTexts["unavailable"],
): { readonly problem: Problem; readonly seconds: number; readonly because: string } | undefined => {
  const isBusy =
    error instanceof StoreBusy ||
    error instanceof SignInBusy ||
    error instanceof TooManyRequests ||
    error instanceof VersionBehind;
  const noFiles = error instanceof ObjectStoreAway || error instanceof NoObjectStore;
  if (!(error instanceof StoreAway || isBusy || noFiles)) return undefined;
  const because = error instanceof StoreAway ? error.because : error.message;
  const with503 = (code: Unavailable, seconds: number) => ({
    problem: { type: "about:blank", status: 503, code, ...words[code], reference },
    seconds,
    because,
  });
  if (isBusy) return with503("TOO_BUSY", 2);
  if (noFiles) return with503("FILES_AWAY", 5);
  return error instanceof StoreSlow ? with503("TOOK_TOO_LONG", 2) : with503("STORE_AWAY", 1);
};
