/** Undecided permissions, who asked for them, and clauses that would decide them. */

/** `POST /_/questions`: an undecided permission, `do`, and the screen or call that needed it, `where`. */
export interface DecisionRequest {
  readonly do?: string;
  readonly record?: string;
  readonly field?: string;
  readonly where?: string;
}

/** `GET /_/questions?where=/boxes`, for anybody: the undecided permissions of a screen; null if there are none. */
export interface UndecidedJson {
  readonly undecided: string | null;
}

/** `GET /_/questions`, for administrators: undecided permissions that somebody was refused. */
export interface QuestionsJson {
  readonly items: readonly QuestionJson[];
}

export interface QuestionJson {
  /** `Request.grant` */
  readonly do: string;
  /** Title of the transition; null for read, create, update and delete. */
  readonly title: string | null;
  /** The default in force, in one or two sentences. */
  readonly says: string;
  readonly clause: string;
  readonly entity: string;
  /** The single field that was requested. */
  readonly field: string | null;
  /** Persons who asked, newest first; `name` is null for a deleted person. `where`: the screen or the call. */
  readonly asked: readonly {
    readonly at: string;
    readonly name: string | null;
    readonly record: string | null;
    readonly where: string | null;
  }[];
  /** Number of records concerned, up to 10,000. */
  readonly records: number;
  readonly answers: readonly AnswerJson[];
}

/** A clause that would answer a question, and its effect now. */
export interface AnswerJson {
  readonly role: string;
  /** The people it would apply to, in running text: "a keeper". */
  readonly whom: string;
  /** For a permission on one's own records: the field that names the owner. */
  readonly own: string | null;
  /** The clause as it would appear in the document: `read: [{ role: staff, when: "owner == user" }]`. */
  readonly writes: string;
  /** Number of people with the role; null if the role depends on the record. */
  readonly people: number | null;
  /** Number of records, up to 10,000; null for creation. */
  readonly records: number | null;
}
