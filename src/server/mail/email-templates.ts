/** The mails sent by the program, in the recipient's language. Plain text, so nothing is loaded from elsewhere. */
export interface Mails {
  /** A link to create an account. */
  readonly register: (application: string, link: string) => Mail;
  /** An account exists already. */
  readonly known: (application: string, link: string) => Mail;
  /** Invitation by an administrator. */
  readonly invited: (application: string, link: string, days: number) => Mail;
  /** A link for a new password. */
  readonly password: (application: string, link: string, hours: number) => Mail;
  /** The password was set. */
  readonly passwordSet: (application: string, by: Occasion) => Mail;
  /** The address was changed; sent to the old and the new one. */
  readonly addressChanged: (application: string, by: Pick<Occasion, "at">, from: string, to: string) => Mail;
  /** An API token was created. */
  readonly tokenMade: (application: string, by: Occasion, name: string) => Mail;
  /** An API token was revoked. */
  readonly tokenEnded: (application: string, by: Occasion) => Mail;
  /** The domains that may register. */
  readonly only: (domains: readonly string[]) => string;
}

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

/** Time in the document's time zone, and network address. */
export interface Occasion {
  readonly at: string;
  readonly from: string;
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
  passwordSet: (application, { at, from }) => ({
    subject: `Your password at ${application} was changed`,
    text: `The password of your account at ${application} was changed on ${at}, from the address ${from}. All other sessions have ended, and so have your tokens for programs.\n\nIf it was not you, tell an administrator at once.\n`,
  }),
  addressChanged: (application, { at }, from, to) => ({
    subject: `Your email address at ${application} was changed`,
    text: `The email address of your account at ${application} was changed on ${at}, from ${from} to ${to}. You sign in with the new one.\n\nIf that is not right, tell an administrator at once.\n`,
  }),
  tokenMade: (application, { at, from }, name) => ({
    subject: `A new token for your account at ${application}`,
    text: `The token “${name}” was made for your account at ${application} on ${at}, from the address ${from}. A program that has it can do in your name what the token allows.\n\nIf it was not you, end the token on the page of your account, change your password, and tell an administrator.\n`,
  }),
  tokenEnded: (application, { at, from }) => ({
    subject: `A token of your account at ${application} was ended`,
    text: `A token for a program was ended at ${application} on ${at}, from the address ${from}. The program that has it is not let in any more.\n\nThe page of your account shows the tokens that hold.\n`,
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
  passwordSet: (application, { at, from }) => ({
    subject: `Ihr Passwort bei ${application} wurde geändert`,
    text: `Das Passwort Ihres Kontos bei ${application} wurde am ${at} geändert, von der Adresse ${from}. Alle anderen Sitzungen sind beendet, ebenso Ihre Schlüssel für Programme.\n\nWaren Sie es nicht, sagen Sie es sofort der Administration.\n`,
  }),
  addressChanged: (application, { at }, from, to) => ({
    subject: `Ihre E-Mail-Adresse bei ${application} wurde geändert`,
    text: `Die E-Mail-Adresse Ihres Kontos bei ${application} wurde am ${at} von ${from} in ${to} geändert. Sie melden sich mit der neuen an.\n\nStimmt das nicht, sagen Sie es sofort der Administration.\n`,
  }),
  tokenMade: (application, { at, from }, name) => ({
    subject: `Ein neuer Schlüssel für Ihr Konto bei ${application}`,
    text: `Für Ihr Konto bei ${application} wurde am ${at} der Schlüssel „${name}“ angelegt, von der Adresse ${from}. Ein Programm, das ihn hat, kann in Ihrem Namen tun, was der Schlüssel erlaubt.\n\nWaren Sie es nicht, beenden Sie ihn auf der Seite Ihres Kontos, ändern Sie Ihr Passwort, und sagen Sie es der Administration.\n`,
  }),
  tokenEnded: (application, { at, from }) => ({
    subject: `Ein Schlüssel Ihres Kontos bei ${application} wurde beendet`,
    text: `Ein Schlüssel für ein Programm wurde bei ${application} am ${at} beendet, von der Adresse ${from}. Das Programm, das ihn hat, kommt nicht mehr hinein.\n\nDie Seite Ihres Kontos zeigt die Schlüssel, die gelten.\n`,
  }),
  only: (domains) => `Nur Adressen von ${domains.join(", ")} können sich registrieren.`,
};

/** English if there is no translation. */
export const mailsIn = (language: string): Mails => (language.startsWith("de") ? german : english);
