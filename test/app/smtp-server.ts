import { createServer, type Socket } from "node:net";
import { createMailer, type Mailer } from "../../src/jobs/mails.ts";
import { afterEveryFile } from "../ends.ts";

/** A mail as it arrived: its recipient, and its headers and text. */
export interface ArrivedMail {
  readonly to: string;
  readonly text: string;
}

/** The headers of a mail by name in lower case, unfolded. */
export const headersOf = ({ text }: ArrivedMail): ReadonlyMap<string, string> =>
  new Map(
    text
      .slice(0, text.indexOf("\n\n"))
      .replaceAll(/\n[ \t]+/gu, " ")
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );

/** An SMTP server on this machine that accepts and stores every mail. */
export interface SmtpServer {
  readonly mails: readonly ArrivedMail[];
  readonly mailer: Mailer;
  /** The environment of a program that sends its mails here. */
  readonly environment: Readonly<Record<"NINEFOLD_SMTP" | "NINEFOLD_MAIL_FROM", string>>;
  /** Recipients that the server rejects, with its answer. */
  readonly rejects: Map<string, string>;
}

/** Decodes the body; headers are as they arrived. */
const decoded = (mail: string): string => mail.replace(/\n\n[\s\S]*$/u, decodeBody);
const decodeBody = (text: string): string =>
  text
    .replace(/=\n/gu, "")
    .replace(/(?:=[0-9A-F]{2})+/gu, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"));

const speak = (socket: Socket, rejects: ReadonlyMap<string, string>, arrived: (mail: ArrivedMail) => void): void => {
  socket.write("220 here ESMTP\r\n");
  let [to, data, reading] = ["", "", false];
  let rest = "";
  socket.on("data", (chunk) => {
    rest += chunk.toString("utf8");
    for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      // Clients double a period at the beginning of a line (RFC 5321, 4.5.2).
      if (reading && line !== ".") data += `${line.replace(/^\./u, "")}\n`;
      else if (reading) {
        arrived({ to, text: decoded(data) });
        reading = false;
        data = "";
        socket.write("250 kept\r\n");
      } else if (/^RCPT TO:/iu.test(line)) {
        to = /<(.*)>/u.exec(line)?.[1] ?? "";
        socket.write(`${rejects.get(to) ?? "250 yes"}\r\n`);
      } else if (line === "DATA") {
        reading = true;
        socket.write("354 go on\r\n");
      } else if (line === "QUIT") socket.end("221 bye\r\n");
      else socket.write("250 here\r\n");
    }
  });
  socket.on("error", () => undefined);
};

const stops: (() => Promise<unknown>)[] = [];
afterEveryFile(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

/** Runs until the end of the file. */
export const startSmtp = async (): Promise<SmtpServer> => {
  const mails: ArrivedMail[] = [];
  const rejects = new Map<string, string>();
  const server = createServer((socket) => speak(socket, rejects, (mail) => mails.push(mail)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as { readonly port: number };
  const environment = {
    NINEFOLD_SMTP: `smtp://127.0.0.1:${port}?ignoreTLS=true`,
    NINEFOLD_MAIL_FROM: "desk@example.com",
  };
  const mailer = createMailer(environment);
  if (mailer === undefined) throw new Error("no mailer");
  return { mails, mailer, environment, rejects };
};
