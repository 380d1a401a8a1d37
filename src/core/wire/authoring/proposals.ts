/** Proposed versions of the document. */

import type { ReferenceJson } from "../records.ts";
import type { SourceJson } from "./document.ts";

/**
 * `open`: approvals are missing. `approved`: it has all approvals, but is not published, since stored data did not fit.
 * `outdated`: another version was published since.
 */
export type ProposalState = "open" | "approved" | "outdated" | "rejected" | "withdrawn" | "published";

/** The rights of the reader on changes of the document. */
export interface ChangeRightsJson {
  readonly propose: boolean;
  readonly approve: boolean;
  /** To publish a change without a proposal. */
  readonly publish: boolean;
}

/** A proposed version. */
export interface ProposalJson {
  /** Counted from 1. */
  readonly number: number;
  readonly state: ProposalState;
  /** `file`: the program was started with it. `command`: an operator proposed it on the command line. */
  readonly source: "workbench" | "file" | "command";
  /** The number of the version that it began from. */
  readonly base: number;
  /** Null for a proposal from a file or from the command line, and if the account was deleted. */
  readonly author: ReferenceJson | null;
  readonly note: string;
  /** The moment at which it was proposed, and that of its last change. */
  readonly at: string;
  readonly changed: string;
  /** Identifies the text. Send it with an approval. */
  readonly hash: string;
  /** Counts the texts of the proposal, from 1. A new text needs new approvals. */
  readonly revision: number;
  /** The people who approved this text. */
  readonly approvers: readonly ReferenceJson[];
  /** The number of approvals that it needs. */
  readonly needs: number;
  /** The version that has this text; null unless it is published. */
  readonly version: number | null;
}

/** People who can approve a change now, other than those who proposed, edited or approved it. */
export interface ApproversJson {
  /** The names that the reader can read: at most 20. */
  readonly people: readonly string[];
  /** The number of further people. */
  readonly more: number;
  /** The number of approvals that are missing. */
  readonly needs: number;
  /** The roles whose people can approve. */
  readonly roles: readonly string[];
}

/** `GET /_/proposals`: newest first, 50 at most. */
export interface ProposalsJson {
  readonly items: readonly ProposalJson[];
  /** Pass as `before` to get the next page; null on the last. */
  readonly next: number | null;
  readonly may: ChangeRightsJson;
  /** The people who could approve a change that the reader proposes. */
  readonly approvers: ApproversJson;
}

/** Something that happened to a proposal. */
export interface ProposalEventJson {
  readonly at: string;
  /** Null for an operator, for a file and for a deleted account. */
  readonly person: ReferenceJson | null;
  /** True for a command on the server. */
  readonly isOperator: boolean;
  readonly kind: "proposed" | "changed" | "commented" | "approved" | "rejected" | "withdrawn" | "reopened";
  /** The revision that it concerns. */
  readonly revision: number;
  readonly comment: string;
}

/** `GET /_/proposals/:number` */
export interface ProposalTextJson extends ProposalJson {
  readonly files: readonly SourceJson[];
  /** The text of the version that it began from. */
  readonly before: readonly SourceJson[];
  /** Oldest first. */
  readonly history: readonly ProposalEventJson[];
  /** The acts that the reader can perform now. */
  readonly may: {
    readonly approve: boolean;
    readonly reject: boolean;
    readonly withdraw: boolean;
    readonly reopen: boolean;
    readonly edit: boolean;
    readonly comment: boolean;
  };
  /** The people who can approve it; null unless it waits for an approval. */
  readonly waitsFor: ApproversJson | null;
  /** True if the reader could approve it, had they not proposed or edited it. */
  readonly isOwn: boolean;
}
