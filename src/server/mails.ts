/** The mails that the program writes, in the language of who is to read them. Plain text: nothing in them is loaded. */
export interface Mails {
  /** A link by which an account is made. */
  readonly register: (application: string, link: string) => Mail;
  /** Somebody asked for an account, and there is one. */
  readonly known: (application: string, link: string) => Mail;
  /** An administrator made an account. */
  readonly invited: (application: string, link: string, days: number) => Mail;
  /** An administrator made a link for a new password. */
  readonly password: (application: string, link: string, hours: number) => Mail;
  /** Which addresses may register. */
  readonly only: (domains: readonly string[]) => string;
}

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

const english: Mails = {
  register: (application, link) => ({
    subject: `Your account at ${application}`,
    text: `Somebody, probably you, asked for an account at ${application}.\n\nMake it here; the link works once and holds for a day:\n${link}\n\nIf it was not you, there is nothing to do.\n`,
  }),
  known: (application, link) => ({
    subject: `Your account at ${application}`,
    text: `Somebody, probably you, asked for an account at ${application}. You have one already.\n\nSign in here:\n${link}\n\nIf you do not know your password any more, an administrator makes a link for a new one.\n`,
  }),
  invited: (application, link, days) => ({
    subject: `Your account at ${application}`,
    text: `You have an account at ${application}.\n\nChoose your password here; the link works once and holds for ${days} days:\n${link}\n`,
  }),
  password: (application, link, hours) => ({
    subject: `Your password at ${application}`,
    text: `An administrator of ${application} made you a link for a new password.\n\nIt works once and holds for ${hours} hours:\n${link}\n\nThe password that you have goes on working until then.\n`,
  }),
  only: (domains) => `Only addresses of ${domains.join(", ")} can register.`,
};

const german: Mails = {
  register: (application, link) => ({
    subject: `Ihr Konto bei ${application}`,
    text: `Jemand, vermutlich Sie, hat ein Konto bei ${application} erbeten.\n\nLegen Sie es hier an; der Link gilt einmal und einen Tag lang:\n${link}\n\nWaren Sie es nicht, ist nichts zu tun.\n`,
  }),
  known: (application, link) => ({
    subject: `Ihr Konto bei ${application}`,
    text: `Jemand, vermutlich Sie, hat ein Konto bei ${application} erbeten. Sie haben schon eines.\n\nMelden Sie sich hier an:\n${link}\n\nKennen Sie Ihr Passwort nicht mehr, macht eine Administratorin oder ein Administrator einen Link für ein neues.\n`,
  }),
  invited: (application, link, days) => ({
    subject: `Ihr Konto bei ${application}`,
    text: `Sie haben ein Konto bei ${application}.\n\nWählen Sie hier Ihr Passwort; der Link gilt einmal und ${days} Tage lang:\n${link}\n`,
  }),
  password: (application, link, hours) => ({
    subject: `Ihr Passwort bei ${application}`,
    text: `Eine Administratorin oder ein Administrator von ${application} hat Ihnen einen Link für ein neues Passwort gemacht.\n\nEr gilt einmal und ${hours} Stunden lang:\n${link}\n\nBis dahin gilt das Passwort, das Sie haben.\n`,
  }),
  only: (domains) => `Nur Adressen von ${domains.join(", ")} können sich registrieren.`,
};

/** By the language of who asks; English where there is none of theirs. */
export const mailsIn = (language: string): Mails => (language.startsWith("de") ? german : english);
