import type { Field } from "../../core/model/field.ts";

/** Names of people and companies in one language, and the words of the entities that have them. */
interface Names {
  /** Names of the field that has the whole name. */
  readonly fields: readonly string[];
  readonly people: readonly string[];
  readonly companies: readonly string[];
  readonly personWords: readonly string[];
  readonly companyWords: readonly string[];
}

const english: Names = {
  fields: ["name", "full_name"],
  people: [
    ...["Paula Reuter", "Emre Kaya", "Julia Sander", "David Okoro", "Anna Lehmann", "Marek Novák"],
    ...["Camille Laurent", "Henrik Dahl", "Aisha Rahman", "Peter Albrecht", "Giulia Conti", "Robert Kessler"],
  ],
  companies: [
    ...["Nordwind Packaging", "Duarte & Sons", "Kröger Tools", "Lindqvist Laboratory Ware"],
    ...["Brandt Office Supplies", "Hafen Logistics", "Elbe Print Works", "Sunrise Catering"],
  ],
  personWords: [
    ...["customer", "contact", "member", "patient", "guest", "tenant", "student", "pupil", "person", "employee"],
    ...["candidate", "applicant", "participant", "volunteer", "donor", "owner", "child", "driver", "player"],
  ],
  companyWords: ["company", "client", "supplier", "vendor", "organisation", "organization", "manufacturer"],
};

const german: Names = {
  fields: ["name", "voller_name"],
  people: [
    ...["Paula Reuter", "Emre Kaya", "Julia Sander", "Jonas Vogel", "Anna Lehmann", "Marek Novák"],
    ...["Katrin Böhm", "Henrik Dahl", "Leyla Arslan", "Peter Albrecht", "Sabine Kurz", "Robert Kessler"],
  ],
  companies: [
    ...["Nordwind Verpackungen", "Duarte & Söhne", "Kröger Werkzeuge", "Lindqvist Laborbedarf"],
    ...["Brandt Bürobedarf", "Hafen Logistik", "Elbe-Druckerei", "Sonnenschein Catering"],
  ],
  personWords: [
    ...["kunde", "kundin", "kontakt", "ansprechpartner", "mitglied", "patient", "gast", "mieter", "student", "schüler"],
    ...["schueler", "person", "mitarbeiter", "bewerber", "teilnehmer", "spender", "eigentümer", "eigentuemer", "kind"],
  ],
  companyWords: [
    "firma",
    "unternehmen",
    "lieferant",
    "anbieter",
    "hersteller",
    "organisation",
    "verein",
    "auftraggeber",
  ],
};

const french: Names = {
  fields: ["nom", "nom_complet"],
  people: [
    ...["Camille Laurent", "Karim Benali", "Julie Fontaine", "David Okoro", "Hélène Mercier", "Marek Novák"],
    ...["Antoine Girard", "Léa Moreau", "Aïcha Rahmani", "Pierre Lambert", "Giulia Conti", "Claire Dupuis"],
  ],
  companies: [
    ...["Emballages du Nord", "Duarte et Fils", "Outillage Kröger", "Matériel de laboratoire Lindqvist"],
    ...["Fournitures Brandt", "Logistique du Port", "Imprimerie des Quais", "Traiteur Soleil"],
  ],
  personWords: [
    ...[
      "client",
      "cliente",
      "contact",
      "membre",
      "adhérent",
      "adherent",
      "patient",
      "locataire",
      "étudiant",
      "etudiant",
    ],
    ...[
      "élève",
      "eleve",
      "personne",
      "employé",
      "employe",
      "candidat",
      "participant",
      "bénévole",
      "benevole",
      "donateur",
    ],
  ],
  companyWords: ["entreprise", "société", "societe", "fournisseur", "fabricant", "organisation", "association"],
};

const byLanguage: ReadonlyMap<string, Names> = new Map([
  ["de", german],
  ["fr", french],
]);

/**
 * The name of a person or a company for the `name` of a record of such an entity, in the language of the document. Its
 * identifiers can be words of that language or English.
 */
export const plausibleName = (field: Field, entity: string, number: number, locale: string): string | undefined => {
  const own = byLanguage.get(locale.split("-", 1)[0] ?? "") ?? english;
  const last =
    entity
      .split(/(?=\p{Lu})/u)
      .at(-1)
      ?.toLowerCase() ?? "";
  for (const { fields, personWords, companyWords } of new Set([own, english])) {
    if (!fields.includes(field.name)) continue;
    const all = companyWords.includes(last) ? own.companies : personWords.includes(last) ? own.people : [];
    const names = all.filter((item) => item.length <= Number(field.max ?? Infinity));
    if (names.length > 0) return names[field.unique ? number : number % names.length];
  }
  return undefined;
};
