import { describe, expect, it } from 'vitest';
import { decide, type SourcePassage } from './gates.ts';

/** The verdict on a claim when the model supports it by the whole text. */
async function reasonFor(claim: string, text: string): Promise<string> {
  const passage: SourcePassage = {
    id: 'p1',
    label: '"report.pdf", page 1',
    text,
    source: {
      kind: 'file',
      fileId: 'f',
      fileName: 'report.pdf',
      page: 1,
      start: 0,
      end: text.length,
    },
  };
  const judgement = { relation: 'supports' as const, evidence: [{ passageId: 'p1', quote: text }] };
  return (await decide(claim, judgement, [passage])).reason ?? 'supported';
}

describe('a claim that says the same in another form', () => {
  it.each([
    // Dates.
    ['The lease ends on 31 December 2026.', 'The lease ends on 12/31/2026.'],
    ['The lease ends on 31 December 2026.', 'The lease ends on 31/12/2026.'],
    ['The lease ends on December 31, 2026.', 'Lease end: 2026.12.31'],
    ['Der Vertrag endet am 31. Dezember 2026.', 'Der Vertrag endet am 31.12.26.'],
    ['The lease ends on 2026-12-31.', 'The lease ends on 31 Dec 2026.'],
    ['The meeting was on August 10.', 'The meeting was on Aug. 10, 2025.'],
    ['The meeting was on 10 August.', 'The meeting was held on August 10th, 2025.'],
    ['The meeting was on August 10, 2025.', 'Minutes 2025. The meeting was on August 10.'],
    ['Le contrat finit le 3 mai 2026.', 'Le contrat finit le 03/05/2026.'],
    ['El contrato termina el 3 de mayo de 2026.', 'El contrato termina el 3 may 2026.'],
    ['It is valid until May 2026.', 'It is valid until 05/2026.'],
    ['The house was built in the 1960s.', 'The house was built in 1963.'],
    ['The castle was built in the 12th century.', 'The castle was built in 1183.'],
    // Numbers in words.
    ['The company has 3 offices.', 'The company has three offices.'],
    ['The company has three offices.', 'The company has 3 offices.'],
    ['Die Firma hat 20 Mitarbeiter.', 'Die Firma hat zwanzig Mitarbeiter.'],
    ['Die Firma hat 150 Mitarbeiter.', 'Die Firma hat einhundertfünfzig Mitarbeiter.'],
    ['Die Firma hat 2.025 Mitarbeiter.', 'Die Firma hat zweitausendfünfundzwanzig Mitarbeiter.'],
    ["L'entreprise a 92 salariés.", "L'entreprise a quatre-vingt-douze salariés."],
    ["L'entreprise a 75 salariés.", "L'entreprise a soixante-quinze salariés."],
    ['La empresa tiene 35 empleados.', 'La empresa tiene treinta y cinco empleados.'],
    ['The company has 125 offices.', 'The company has one hundred and twenty-five offices.'],
    ['The fund has 40,000 members.', 'The fund has forty thousand members.'],
    ['The notice period is 30 days.', 'The notice period is thirty (30) days.'],
    ['The notice period is thirty days.', 'The notice period is thirty (30) days.'],
    ['The term is two (2) years.', 'The term is two years.'],
    ['The term is 24 months.', 'The term is two (2) years.'],
    ['The notice period is 30 days.', 'The notice period is 30 (thirty) days.'],
    ['It is the 3rd building on the site.', 'It is the third building on the site.'],
    // Ranges, scales and units.
    ['The project costs 10 to 20 million dollars.', 'The project costs $10–20 million.'],
    [
      'The project costs between 10 million and 20 million dollars.',
      'The project costs 10 to 20 million dollars.',
    ],
    ['Revenue was 12.4 million euros.', 'Revenue (in EUR m): 12.4'],
    ['Revenue was EUR 12.4 million.', '(in millions of euros)\n| Revenue | 12.4 |'],
    ['Revenue was $1,577 million.', '(in millions)\n| Revenue | $ 1,577 | 1,502 |'],
    ['Profit was 3.1 billion dollars.', '($ in millions)\nProfit 3,100 2,950'],
    ['Der Umsatz betrug 12,4 Mio. €.', 'Der Umsatz betrug T€ 12.400.'],
    ['Der Umsatz betrug 12.400 TEUR.', 'Der Umsatz betrug 12,4 Millionen Euro.'],
    ['Revenue was €12.4m.', 'Revenue was 12.4 million euros.'],
    ['The margin rose by 0.5%.', 'The margin rose by 50 basis points.'],
    ['The margin rose by 50 bps.', 'The margin rose by 0.5 percentage points.'],
    ['The notice period is 30 days.', 'The notice period is 30 calendar days.'],
    ['The tenant is 27 years old.', 'The 27-year-old tenant signed the lease.'],
    ['The plan covers 20 years.', 'The plan covers two decades.'],
    ['The book was translated into over 250 languages.', 'It was translated into 301 languages.'],
    ['The fee is less than 20 euros.', 'The fee is 18 euros.'],
    ['The band was founded in the 80s.', 'The band was founded in 1984.'],
    ['The crest dates back to the 1800s.', 'The crest was designed in 1888.'],
    ['It took place in the 1980s.', 'The film was shown first in 1984.'],
    ['He is 1 of the owners.', 'He and his sister are the owners.'],
    ['He was the thirty-seventh president.', 'Nixon was the 37th president.'],
    // Signs that words say.
    ['The loss was 3.2 million euros.', 'The result was −3.2 million euros, a loss.'],
    ['Net loss was $1,577.', 'Net loss $(1,577)'],
    ['Sales fell by 3.2%.', 'Change in sales: −3.2%, down from 2024'],
    // Names.
    ['The fair took place in Nov as planned.', 'The fair took place in November as planned.'],
    ['The office is in the United States.', 'The office is in the US.'],
    ['The office is in the U.S. and the UK.', 'Offices: United States, United Kingdom.'],
    ['The Libyan government signed it.', 'The government of Libya signed it.'],
    ['The treaty was signed by Hungary.', 'The treaty was signed by the Hungarian minister.'],
    ['The bank belongs to the French state.', 'The bank belongs to the state of France.'],
    ['He is a member of the WHO.', 'He is a member of the World Health Organization.'],
    ['He works for the World Health Organization.', 'He works for the WHO.'],
    ['The lease was signed by Forney in May.', "In May Forney's lease was signed."],
    ['The clinic treats COVID-19.', 'The clinic treats Covid patients.'],
    ['The clinic treats COVID-19.', 'The clinic treats COVID19 patients.'],
    ['It was sold before WWII.', 'It was sold before World War II.'],
    ['The law applies in Europe.', 'It is a European law.'],
    ['Mr Nowak loved dogs.', 'Nowak, a clerk: he could not pass a puppy.'],
    // Languages.
    ['Die Miete beträgt 1.250 Euro im Monat.', 'Die monatliche Miete beträgt EUR 1.250,00.'],
    ['The rent in Munich is 900 euros.', 'Die Miete für die Wohnung in München ist 900 Euro.'],
    ['Le loyer est de 1 250 euros.', 'Le loyer est de 1.250,00 EUR.'],
  ])('%s: %s', async (claim, text) => {
    expect(await reasonFor(claim, text)).toBe('supported');
  });
});

describe('a claim that says something else', () => {
  it.each([
    ['The lease ends on 31 December 2026.', 'The lease ends on 12/30/2026.'],
    ['The lease ends on 31 December 2026.', 'The lease ends on 31.12.25.'],
    ['The meeting was on August 10.', 'The meeting was on Aug. 11, 2025.'],
    ['The meeting was on August 10, 2024.', 'The meeting was on August 10, 2025.'],
    ['The meeting was on August 10, 2024.', 'Minutes 2025. The meeting was on August 10.'],
    ['The house was built in the 1960s.', 'The house was built in 1973.'],
    ['The castle was built in the 12th century.', 'The castle was built in 1283.'],
    ['The company has three offices.', 'The company has four offices.'],
    ['The company has 3 offices.', 'The company has four offices.'],
    ['Die Firma hat zwanzig Mitarbeiter.', 'Die Firma hat dreißig Mitarbeiter.'],
    ["L'entreprise a 92 salariés.", "L'entreprise a quatre-vingt-deux salariés."],
    ['La empresa tiene 35 empleados.', 'La empresa tiene treinta y seis empleados.'],
    ['The company has 125 offices.', 'The company has one hundred and twenty-six offices.'],
    ['The notice period is 30 days.', 'The notice period is sixty (60) days.'],
    ['The term is two (2) years.', 'The term is three years.'],
    ['The project costs 10 to 20 million dollars.', 'The project costs $10–30 million.'],
    ['The project costs 10 to 20 million dollars.', 'The project costs 10 to 20 dollars.'],
    ['Revenue was 12.4 million euros.', 'Revenue (in EUR m): 12.5'],
    ['Revenue was 12.4 million euros.', 'Revenue (in EUR k): 12.4'],
    ['Revenue was 12.4 million dollars.', 'Revenue (in EUR m): 12.4'],
    ['Revenue was $1,577 million.', '(in thousands)\n| Revenue | $ 1,577 | 1,502 |'],
    ['Der Umsatz betrug 12,4 Mio. €.', 'Der Umsatz betrug T€ 1.240.'],
    ['The margin rose by 5%.', 'The margin rose by 50 basis points.'],
    ['The result was 3.2 million euros.', 'The result was −3.2 million euros.'],
    ['The result was −3.2 million euros.', 'The result was 3.2 million euros.'],
    ['The result was 1,577.', '| Result | (1,577) | 1,502 |'],
    ['The book was translated into over 250 languages.', 'It was translated into 240 languages.'],
    ['The book was translated into over 250 languages.', 'It has 3,000 pages in all languages.'],
    ['The fee is less than 20 euros.', 'The fee is 21 euros.'],
    ['The fee is less than 20 euros.', 'The fee is 1 euro.'],
    ['The band was founded in the 80s.', 'The band was founded in 1991.'],
    ['The crest dates back to the 1800s.', 'The crest was designed in 1911.'],
    ['The test takes thirty second steps.', 'The test takes steps of 40 seconds.'],
    ['The law applies in Europe.', 'It is an African law.'],
    ['It was sold before WWII.', 'It was sold before World War I.'],
    ['The office is in the United States.', 'The office is in the United Kingdom.'],
    ['The Libyan government signed it.', 'The government of Lebanon signed it.'],
    ['The fair took place in Nov as planned.', 'The fair took place in October as planned.'],
    ['He is a member of the WHO.', 'He is a member of the World Trade Organization.'],
    ['The rent in Munich is 900 euros.', 'The rent of the flat in Berlin is 900 euros.'],
    ['Die Miete beträgt 1.250 Euro im Monat.', 'Die monatliche Miete beträgt EUR 1.350,00.'],
  ])('%s: not %s', async (claim, text) => {
    expect(await reasonFor(claim, text)).toMatch(/^(?:number|name)_not_in_source$/);
  });
});
