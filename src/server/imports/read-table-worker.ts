import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { splitTable } from "./table-parts.ts";

const { file, bytes } = workerData as { readonly file: string; readonly bytes: Uint8Array };

for await (const message of splitTable(file, Buffer.from(bytes.buffer))) {
  parentPort?.postMessage(message);
  if (parentPort !== null && (message.kind === "head" || message.kind === "part")) await once(parentPort, "message");
}
