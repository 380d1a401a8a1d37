import type { ExplainTexts } from "../explain-arguments.ts";

/**
 * Words of the document stand in guillemets and are never the subject of a participle, because the gender of its nouns
 * is unknown. "Modifier des demandes est réservé à…" is correct for every noun.
 */
export const texts = {
  "list.more": "{before}, {last}",
  "list.and": "{before} et {last}",
  "list.or": "{before} ou {last}",
  "list.nor": "{before} ni {last}",

  you: "vous",
  administrator: "l’administration",
  oneself: "la personne concernée",
  group: "« {title} »",
  holder: "« {title} »",
  "holder.with.names": "{who} ({names})",
  "holder.with.names.alone": "{who} ({names})",
  "holder.with.when": "{who} ({when})",
  "holder.with.names.when": "{who} ({names}, {when})",
  "in.states": "tant que l’état est {states}",

  now: "maintenant",
  today: "aujourd’hui",
  own: "« {title} »",
  record: "cette fiche ({entity})",
  before: "{what} (avant)",
  of: "« {title} » {owner_begins, select, vowel {d’} other {de }}{owner}",
  yours: "votre « {title} »",
  limit: "{value} ({name})",
  named: "« {title} »",
  quoted: "« {source} »",
  plus: "{what} plus {more}",
  minus: "{what} moins {less}",
  "long.before": "{long} avant {what}",
  "long.after": "{long} après {what}",

  "you.are": "vous {not, select, true {n’êtes pas} other {êtes}} {what}",
  "this.is.you": "c’est {not, select, true {quelqu’un d’autre} other {vous}}",
  is: "{what} {not, select, true {n’est pas} other {est}} {value}",
  "is.one.of": "{what} est {values}",
  "is.none.of": "{what} n’est ni {values}",
  "is.given": "{what} {not, select, true {n’a pas de valeur} other {a une valeur}}",
  "is.set": "{what} {not, select, true {n’est pas coché} other {est coché}}",
  earlier: "{what} {same, select, true {n’est pas après} other {est avant}} {than}",
  later: "{what} {same, select, true {n’est pas avant} other {est après}} {than}",
  less: "{what} vaut {same, select, true {au plus} other {moins que}} {than}",
  more: "{what} vaut {same, select, true {au moins} other {plus que}} {than}",
  some: "« {title} » {not, select, true {est vide} other {n’est pas vide}}",
  "is.earlier": "la date actuelle {same, select, true {n’est pas postérieure} other {est antérieure}} à {than}",
  "is.later": "la date actuelle {same, select, true {n’est pas antérieure} other {est postérieure}} à {than}",
  holds: "{quoted} {not, select, true {n’est pas vrai} other {est vrai}}",
  "is.met": "une condition de la spécification {not, select, true {n’est pas} other {est}} remplie",
  where: "si {condition} : {phrase}",
  "has.role": "vous {not, select, true {n’avez pas} other {avez}} ici le rôle « {role} »",
  "has.role.other": "{who} {not, select, true {n’a pas} other {a}} ici le rôle « {role} »",
  something: "une condition que vous ne pouvez pas voir est remplie",
  "at.its.stage": "l’état permet « {transition} »",
  either: "({alternatives})",

  "comes.after": "après {time}",
  "comes.at": "à « {title} »",
  "comes.before.field": "{time} avant « {title} »",
  "comes.after.field": "{time} après « {title} »",
  "comes.once": "{phrase_begins, select, vowel {dès qu’} other {dès que }}{phrase}",

  "may.be.done": "Oui, c’est possible maintenant.",
  "may.be.tried": "Oui, selon ce qui sera saisi.",
  "may.be.done.because": "Oui, {reason}.",
  "may.be.tried.because": "Oui, {reason}, selon ce qui sera saisi.",
  "stands.in.you": "parce que vous remplacez {person}",
  unseen: "Cette fiche n’existe pas, ou vous n’y avez pas accès.",
  "unseen.field": "Le champ « {name} » n’existe pas ici, ou vous n’y avez pas accès.",
  "depends.on":
    "Oui, si {phrase}{others, plural, =0 {} one { (ou dans un autre cas)} other { (ou dans # autres cas)}}.",
  hidden: "Vous n’avez pas accès à la raison.",
  because: "{phrase_upper}.",
  "is.automatic": "« {field} » se remplit automatiquement. Vous ne pouvez pas le modifier.",
  "is.once": "« {field} » ne peut plus être modifié après la création.",
  "only.these": "Cette action est réservée à {who}.",
  "only.these.none": "Personne ne peut le faire.",
  "only.field":
    "{action, select, read {Voir} create {Remplir} update {Modifier} other {Supprimer}} « {field} » est réservé à {who}.",
  "only.field.none":
    "Personne ne peut {action, select, read {voir} create {remplir} update {modifier} other {supprimer}} « {field} ».",
  only: "{action, select, read {Voir} create {Créer} update {Modifier} other {Supprimer}} {here, select, true {cette fiche} other {des {many}}} est réservé à {who}.",
  "only.when":
    "{action, select, read {Voir} create {Créer} update {Modifier} other {Supprimer}} {here, select, true {cette fiche} other {des {many}}} est réservé à {who}, et seulement {when}.",
  "only.none":
    "Personne ne peut {action, select, read {voir} create {créer} update {modifier} other {supprimer}} {here, select, true {cette fiche} other {{many_begins, select, vowel {d’} other {de }}{many}}}.",
  "only.transition": "« {title} » est réservé à {who}.",
  "only.transition.when": "« {title} » est réservé à {who}, et seulement {when}.",
  "follows.from.others":
    "Personne ne peut {action, select, read {voir} create {créer} update {modifier} other {supprimer}} {many_begins, select, vowel {d’} other {de }}{many} : ces fiches sont dérivées d’autres fiches.",
  "accounts.create": "L’administration invite les personnes ; on ne les ajoute pas ici.",
  "accounts.delete": "Les comptes ne sont pas supprimés. L’administration peut en désactiver un.",
  "administrators.only": "Cette action est réservée à l’administration.",
  "changes.not.yours": "Cette action est réservée aux personnes que la spécification nomme sous « changes ».",
  "proposal.proposed": "{name} a proposé une modification de la spécification ({number}).",
  "proposal.commented": "{name} a commenté votre proposition {number}.",
  "proposal.approved": "{name} a approuvé votre proposition {number}.",
  "proposal.operator": "L’exploitant",
  "proposal.rejected": "{name} a rejeté votre proposition {number}.",
  "proposal.withdrawn": "{name} a retiré votre proposition {number}.",
  "proposal.reopened": "{name} a rouvert votre proposition {number}.",
  "proposal.published": "{name} a publié votre proposition {number}.",
  "tokens.none": "Cette application n’émet pas de jetons d’API.",
  "tokens.not.yours": "Vous ne pouvez pas créer de jetons d’API.",
  "token.only.reads": "Ce jeton ne permet que la lecture. Il ne peut rien modifier.",
  "happens.automatically": "« {title} » se fait automatiquement.",
  undecided:
    "La spécification ne dit pas qui peut {action, select, read {voir} create {créer} update {modifier} other {supprimer}} des {many}. Pour l’instant, {until, select, nobody {personne ne le peut} other {seule l’administration le peut}}.",
  "undecided.transition":
    "La spécification ne dit pas qui peut faire « {title} ». Pour l’instant, seule l’administration le peut.",
  "other.state": "« {title} » n’est possible que dans l’état {states} ; l’état actuel est {is}.",
  "other.state.hidden": "« {title} » n’est pas possible dans l’état actuel.",
  "you.only.in.state":
    "Vous pouvez {action, select, read {voir} create {créer} update {modifier} other {supprimer}} des {many} seulement dans l’état {states} ; l’état actuel est {is}.",
  "they.only.in.state":
    "{who} peut {action, select, read {voir} create {créer} update {modifier} other {supprimer}} des {many} seulement dans l’état {states} ; l’état actuel est {is}.",
  "not.now": "« {title} » n’est pas possible pour l’instant.",
  "only.looking":
    "Vous voyez l’application en tant que {name} (lecture seule). Quittez cette vue pour modifier quelque chose.",
  "not.this":
    "Vous ne pouvez pas {action, select, read {voir} create {créer} update {modifier} other {supprimer}} cette fiche pour l’instant.",
  "not.added": "Vous ne pouvez rien ajouter ici pour l’instant.",
  "not.added.in.state": "L’ajout n’est possible que dans l’état {states} ; l’état actuel est {is}.",
} satisfies ExplainTexts;
