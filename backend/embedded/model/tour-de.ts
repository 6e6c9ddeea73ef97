import { type TourStop, tourPage } from './tour-stop.ts';

const ANALYST = `Verlängern ist günstiger, solange der Umzug mehr als 6.000 Euro kostet.

| Posten | Euro |
| --- | --: |
| Höhere Miete, 24 Monate | 6.000 |
| Umzug und neue Regale | 4.500 |
| Zwei Wochen ohne Verkauf | 3.800 |

**Angenommen**: der Umsatz eines mittleren Monats. **Es fehlt**: was ein neuer Vertrag in der Nähe kosten würde.`;

const CRITIC = `In seiner stärksten Form: Der Laden ist bekannt, wo er ist, und ein Umzug ist ein Wagnis.

1. Es gibt mehr als Unterschreiben oder Umziehen: Nach einer niedrigeren Miete hat noch niemand gefragt.
2. Die Frist von 30 Tagen nützt der Vermieterin mehr als dir. Wer mehr zahlt, sollte mehr Sicherheit bekommen, nicht weniger.

Das hält nur, wenn du die alte Frist von 60 Tagen zurückbekommst.`;

const TOGETHER = `Beide würden verlängern, aber nicht so, wie der Vertrag dasteht: der Analyst, weil der Umzug mehr kostet als die Erhöhung, der Kritiker nur mit der alten Frist.

Verlange zuerst 60 Tage Frist und sprich dann über die Miete. Die Mischung der beiden Stimmen und ihre Anteile änderst du unter [Personas](/personas).`;

export const TOUR_DE: TourStop[] = [
  {
    prompt: 'Was hat sich zwischen diesen beiden Mietverträgen geändert?',
    answer: (
      quote,
    ) => `Sechs Punkte haben sich geändert. Die meisten sind schlechter für die Mieterin.

| Punkt | 2024 | 2025 |
| --- | --- | --- |
| Miete | ${quote('Die monatliche Miete beträgt 2.400 Euro.')} | ${quote('Die monatliche Miete beträgt 2.650 Euro.')} |
| Dauer | ${quote('Der Vertrag läuft 12 Monate ab dem 1. Januar.')} | ${quote('Der Vertrag läuft 24 Monate ab dem 1. Januar.')} |
| Kaution | ${quote('Die Kaution beträgt 4.800 Euro.')} | ${quote('Die Kaution beträgt 5.300 Euro.')} |
| Kündigung | ${quote('Jede Seite kann den Vertrag mit einer Frist von 60 Tagen schriftlich kündigen.')} | ${quote('Jede Seite kann den Vertrag mit einer Frist von 30 Tagen schriftlich kündigen.')} |
| Reparaturen | ${quote('Die Vermieterin zahlt jede Reparatur über 200 Euro.')} | ${quote('Die Vermieterin zahlt jede Reparatur über 500 Euro.')} |
| Tiere | ${quote('Die Mieterin darf eine Katze im Laden halten.')} | ${quote('Die Mieterin darf keine Tiere im Laden halten.')} |

Öffne bitte eine Nummer, um den Satz in seiner Datei zu sehen.`,
  },
  {
    prompt:
      'Fasse den Jahresbericht mit einem Fehler darin zusammen, damit ich sehe, wie die Prüfung ihn findet.',
    answer: (quote) => `- ${quote('Das Planetarium begrüßte im Jahr 2025 genau 48.200 Gäste.')}
- Das Planetarium nahm im Jahr 2025 genau 895.000 Euro ein.
- ${quote('Die neue Kuppel öffnete am 14. März.')}

Drücke bitte unter dieser Antwort auf **Mit Quellen vergleichen**: Jede Aussage wird mit dem Bericht verglichen, und die falsche wird markiert.`,
  },
  {
    prompt:
      'Zeichne den Weg von einer Frage zur geprüften Antwort und baue eine kleine Seite dazu.',
    answer: () => `Der Weg als Diagramm:

\`\`\`mermaid
flowchart LR
  F[Frage] --> P[Stellen in deinen Dateien]
  P --> A[Antwort mit Nummern]
  A --> C{Prüfung}
  C -->|belegt| G[Grün]
  C -->|im Widerspruch| R[Rot]
\`\`\`

Und als Seite, die du neben dem Chat öffnest:

${tourPage({ title: 'Wie sicher ist eine Antwort?', label: 'Belegte Aussagen:', of: 'von' })}`,
  },
  {
    prompt: 'Erkläre das dritte Keplersche Gesetz mit seiner Formel.',
    answer: () => `Das Quadrat der Umlaufzeit wächst mit der dritten Potenz des Abstands zur Sonne:

$$\\frac{T^2}{a^3} = \\frac{4\\pi^2}{G M}$$

- $T$ ist die Umlaufzeit, $a$ die große Halbachse der Bahn und $M$ die Masse der Sonne.
- In Jahren und in Abständen der Erde gemessen ist es einfach $T^2 = a^3$.

Jupiter ist $5{,}2$-mal so weit entfernt wie die Erde: $T = \\sqrt{5{,}2^3} \\approx 11{,}9$ Jahre.`,
  },
  {
    prompt:
      'Lass Analyst und Kritiker diskutieren: Sollen wir einen teurer gewordenen Mietvertrag verlängern?',
    answer: () => `**Analyst, 70 %**

${ANALYST}

**Kritiker, 30 %**

${CRITIC}

**Zusammen**

${TOGETHER}`,
    panel: { voices: { Analyst: ANALYST, Kritiker: CRITIC }, synthesis: TOGETHER },
  },
  {
    prompt: 'Merk dir, dass ich kurze Antworten mit einer Tabelle bevorzuge.',
    answer: () => `Gern: kurz und mit einer Tabelle.

| Was gemerkt wird | Wo du es siehst |
| --- | --- |
| Deine Vorliebe | Unter dieser Antwort, sobald sie gespeichert ist |
| Alles andere | Unter [Gedächtnis](/memory), wo du es änderst oder vergessen lässt |`,
  },
];
