/** What nobody decided, who wanted it, and the clauses that would answer. */

/** `POST /_/questions`: something of which nobody decided who may do it, `do`, or the address of a screen or a call, `where`. */
export interface DecisionWanted {
  readonly do?: string;
  readonly record?: string;
  readonly field?: string;
  readonly where?: string;
}

/** `GET /_/questions?where=/boxes`, for anybody: what nobody decided of what that screen shows; null where that is nothing. */
export interface UndecidedJson {
  readonly undecided: string | null;
}

/** `GET /_/questions`, for administrators: what somebody was refused because nobody decided it yet. */
export interface QuestionsJson {
  readonly items: readonly QuestionJson[];
}

export interface QuestionJson {
  /** `Request.grant` */
  readonly do: string;
  /** The transition's; null for reading, making, changing and deleting. */
  readonly title: string | null;
  /** What holds until somebody decides, in a sentence or two. */
  readonly says: string;
  readonly clause: string;
  readonly entity: string;
  /** The one field that it was wanted for. */
  readonly field: string | null;
  /** Who asked, newest first; `name` is null for somebody who is gone. `where`: the screen or the call by which they did. */
  readonly asked: readonly {
    readonly at: string;
    readonly name: string | null;
    readonly record: string | null;
    readonly where: string | null;
  }[];
  /** How many records it is about now, up to 10,000. */
  readonly records: number;
  readonly answers: readonly AnswerJson[];
}

/** A clause that would answer a question, and what it would open now. */
export interface AnswerJson {
  readonly role: string;
  /** Whom it would be for, in running text: "a keeper". */
  readonly whom: string;
  /** The field by which a record is somebody's own, where it opens those alone. */
  readonly own: string | null;
  /** As it will stand in the document: `read: [{ role: staff, when: "owner == user" }]`. */
  readonly writes: string;
  /** How many people hold the role; null where the record decides who does. */
  readonly people: number | null;
  /** How many records, up to 10,000; null where they are made. */
  readonly records: number | null;
}
