import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { ProposalEventJson, ProposalJson } from "../../../core/wire/authoring/proposals.ts";
import { useWords } from "../../i18n/words.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";

/** The words of each state. */
export const stateWords = {
  open: "proposal.state.open",
  approved: "proposal.state.approved",
  outdated: "proposal.state.outdated",
  rejected: "proposal.state.rejected",
  withdrawn: "proposal.state.withdrawn",
  published: "proposal.state.published",
} as const satisfies Record<ProposalJson["state"], WordId>;

/** Beside the words, so that a state is seen without colours. */
const stateIcons = {
  open: "more",
  approved: "check",
  outdated: "retry",
  rejected: "close",
  withdrawn: "back",
  published: "versions",
} as const satisfies Record<ProposalJson["state"], IconName>;

/** The words of each line of the history. */
export const eventWords = {
  proposed: "proposal.did.proposed",
  changed: "proposal.did.changed",
  commented: "proposal.did.commented",
  approved: "proposal.did.approved",
  rejected: "proposal.did.rejected",
  withdrawn: "proposal.did.withdrawn",
  reopened: "proposal.did.reopened",
} as const satisfies Record<ProposalEventJson["kind"], WordId>;

/** The state of a proposal, with the version that it became. */
export const ProposalStateLabel = ({ proposal: { state, version } }: { proposal: ProposalJson }) => {
  const { say } = useWords();
  return (
    <span className={`proposal-state ${state}`}>
      <Icon name={stateIcons[state]} size={13} />
      {say(stateWords[state])}
      {version !== null && ` · ${say("versions.number", { number: version })}`}
    </span>
  );
};

export const ProposalAuthor = ({ proposal: { author, source } }: { proposal: ProposalJson }) => {
  const { say } = useWords();
  if (author !== null) return <bdi>{author.label}</bdi>;
  return say(sourceWords[source]);
};

/** The words of a proposal without an author. */
const sourceWords = {
  workbench: "proposal.by.gone",
  file: "proposal.by.file",
  command: "proposal.by.operator",
} as const satisfies Record<ProposalJson["source"], WordId>;
