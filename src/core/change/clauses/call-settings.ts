import { type Message, type MessageValue, say } from "../../i18n/message.ts";
import type { Outgoing } from "../../model/effect.ts";
import type { TokenSettings } from "../../model/endpoint.ts";
import type { Model } from "../../model/model.ts";
import { type ComparedLine, findOtherMembers, pairUp, type WriteLine, writerFor } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";

/** Lines about calls to other programs, and settings shared by the calls of point 7. */
export const compareCallSettings = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after } = comparison;
  const { both, added, removed } = pairUp(before.outgoing, after.outgoing);
  const line = writerFor(7, { before: undefined, after: undefined });
  const [one, other] = [before.callSettings, after.callSettings];
  const [was, is] = [one.token, other.token];
  return [
    ...added.map((call) =>
      line(call.name, "adds", say("outgoing.added", { name: call.name }), {
        after: call.clause.id,
      }),
    ),
    ...removed.map((call) =>
      line(call.name, "removes", say("outgoing.removed", { name: call.name }), { before: call.clause.id }),
    ),
    ...both.flatMap((pair) =>
      describeOutgoing(comparison, pair.before, pair.after).map((message) =>
        line(pair.name, "changes", message, { before: pair.before.clause.id, after: pair.after.clause.id }),
      ),
    ),
    ...(hasSameMeaning(one.errorShape, other.errorShape)
      ? []
      : [line("errors", "changes", say("errors.form", {}), { loses: "compatibility" })]),
    ...compareOrigins(line, one.cors, other.cors),
    ...(hasSameMeaning(was?.by.toSorted(), is?.by.toSorted())
      ? []
      : [
          line(
            "token",
            (is?.by ?? []).some((role) => was?.by.includes(role) !== true) ? "allows" : "forbids",
            is === null || is.by.length === 0
              ? say("tokens.by.nobody", {})
              : say("tokens.by", { names: is.by.join(", ") }),
            { loses: (was?.by ?? []).some((role) => is?.by.includes(role) !== true) ? "access" : null },
          ),
        ]),
    ...(was === null || is === null || was.longestDays === is.longestDays
      ? []
      : [
          line(
            "token",
            is.longestDays > was.longestDays ? "allows" : "forbids",
            say("tokens.days", { now: is.longestDays, before: was.longestDays }),
          ),
        ]),
    ...(writeTokenHeader(was) === writeTokenHeader(is)
      ? []
      : [
          line("token", "changes", say("tokens.scheme", { now: writeTokenHeader(is), before: writeTokenHeader(was) }), {
            loses: "compatibility",
          }),
        ]),
  ];
};

const describeOutgoing = (
  { before: former, after: later }: Comparison,
  before: Outgoing,
  after: Outgoing,
): readonly Message[] => {
  const { name } = after;
  const lines = findOtherMembers(before, after, ["name", "chat"]).map((member) =>
    describeOutgoingMember(member, before, after),
  );
  const [was, is] = [before.chat, after.chat];
  const service = was?.service === is?.service ? [] : [say("outgoing.other", { name, member: "chat" })];
  if (was === null || is === null) return [...lines, ...service];
  const readers = ({ roles }: Model, role: string | null): MessageValue =>
    role === null
      ? say("readers.visitors", {})
      : { inside: say("holders.group.foreign", { title: roles.get(role)?.title ?? role }) };
  return [
    ...service,
    ...(was.readers === is.readers
      ? []
      : [say("outgoing.readers", { name, now: readers(later, is.readers), before: readers(former, was.readers) })]),
    ...lines,
  ];
};

const describeOutgoingMember = (member: string, before: Outgoing, after: Outgoing): Message => {
  const { name } = after;
  switch (member) {
    case "method":
      return say("outgoing.method", { name, now: after.method, before: before.method });
    case "address":
      return say("outgoing.address", { name, now: after.address, before: before.address });
    case "retries":
      return say("outgoing.retries", { name, now: after.retries, before: before.retries });
    default:
      return say("outgoing.other", { name, member });
  }
};

/** `Bearer` for a token that is sent as usual, or `X-Auth-Token: …`. */
const writeTokenHeader = (token: TokenSettings | null): string => {
  const { header, scheme, cookie } = token ?? { header: "Authorization", scheme: "Bearer", cookie: null };
  const sent =
    scheme === null ? `${header}: …` : header.toLowerCase() === "authorization" ? scheme : `${header}: ${scheme} …`;
  return cookie === null ? sent : `${sent} / Cookie: ${cookie}=…`;
};

const compareOrigins = (
  line: WriteLine,
  before: readonly string[],
  after: readonly string[],
): readonly ComparedLine[] => {
  const more = after.filter((item) => !before.includes(item));
  const fewer = before.filter((item) => !after.includes(item));
  return [
    ...(more.length === 0 ? [] : [line("cors", "allows", say("origins.added", { names: more.join(", ") }))]),
    ...(fewer.length === 0
      ? []
      : [line("cors", "forbids", say("origins.removed", { names: fewer.join(", ") }), { loses: "compatibility" })]),
  ];
};
