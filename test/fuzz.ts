// npm run fuzz [-- SECONDS [SEED]]: reads random documents for a time (60 seconds by default). Exits with 1 and prints
// the document and its seed if one crashes, is slow or is read wrongly.
import { fuzz } from "./document/fuzz.ts";

const [seconds = "60", first = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const until = performance.now() + Number(seconds) * 1_000;
let [documents, read, linked, slowest, broken] = [0, 0, 0, 0, 0];
for (let seed = Number(first); performance.now() < until; seed++) {
  const found = await fuzz(seed, 200);
  documents += found.documents;
  read += found.read;
  linked += found.linked;
  broken += found.broken.length;
  slowest = Math.max(slowest, found.slowest);
  for (const { what, text } of found.broken.slice(0, 3))
    process.stdout.write(`--- seed ${seed}: ${what}\n${JSON.stringify(text)}\n`);
}
const share = (part: number) => `${Math.round((100 * part) / Math.max(documents, 1))} %`;
process.stdout.write(
  `${documents} documents from seed ${first}: ${share(read)} are YAML, ${share(linked)} specifications; the slowest took ${Math.round(slowest)} ms; ${broken} broken.\n`,
);
process.exitCode = broken > 0 ? 1 : 0;
