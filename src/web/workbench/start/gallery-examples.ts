import type { WordId } from "../../../core/i18n/catalogue.ts";

interface GalleryExample {
  readonly name: string;
  readonly about: WordId;
  readonly picture: string;
  /** Loads the text. */
  readonly load: () => Promise<string>;
}

/** The texts load when an example is chosen. */
const texts = import.meta.glob<string>(["../../../../examples/{lending,help-desk,leave-desk,purchasing,booking}.md"], {
  query: "?raw",
  import: "default",
});

const loadText = (file: string) => (): Promise<string> =>
  texts[`../../../../examples/${file}.md`]?.() ?? Promise.reject(new Error(`there is no example ${file}`));

/** The examples that the program comes with. `scripts/example-pictures.mjs` draws the pictures. */
export const galleryExamples: readonly GalleryExample[] = [
  {
    name: "Equipment lending",
    about: "begin.example.lending",
    picture: new URL("../../../../docs/images/example-lending.png", import.meta.url).href,
    load: loadText("lending"),
  },
  {
    name: "Help desk",
    about: "begin.example.help",
    picture: new URL("../../../../docs/images/example-help-desk.png", import.meta.url).href,
    load: loadText("help-desk"),
  },
  {
    name: "Leave desk",
    about: "begin.example.leave",
    picture: new URL("../../../../docs/images/example-leave-desk.png", import.meta.url).href,
    load: loadText("leave-desk"),
  },
  {
    name: "Purchasing",
    about: "begin.example.purchasing",
    picture: new URL("../../../../docs/images/example-purchasing.png", import.meta.url).href,
    load: loadText("purchasing"),
  },
  {
    name: "Instrument booking",
    about: "begin.example.booking",
    picture: new URL("../../../../docs/images/example-booking.png", import.meta.url).href,
    load: loadText("booking"),
  },
];
