import type { Language } from './language.ts';

/** The demo model's own sentences in one language. */
interface Phrases {
  echo: { greeting: string; received: (words: number) => string; tryThese: string };
  unseen: string;
  remembered: string;
  answers: (name: string, tone: readonly string[]) => string;
  panel: { answered: (names: string) => string; agreed: string };
  file: {
    says: (name: string, page: string) => string;
    begins: string;
    missing: string;
    looked: (names: string) => string;
    lookedAnywhere: string;
  };
}

const EN: Phrases = {
  echo: {
    greeting:
      'Hello! I am the **demo model** of STOLAS. I cannot think, but I can show you how a reply arrives. You wrote:',
    received: (words) =>
      `That is ${words} ${words === 1 ? 'word' : 'words'}, received whole and in order.`,
    tryThese:
      'Try one of the prompts on the home screen, attach a file and ask about it, or send `/help`.',
  },
  unseen: 'I cannot see images: the demo model only reads text.',
  remembered: 'I remember of you:',
  answers: (name, tone) => `**${name}** answers${tone.map((word) => `, ${word}`).join('')}:`,
  panel: {
    answered: (names) => `The panel of ${names} has answered:`,
    agreed: 'All of its members are the demo model, so they agree.',
  },
  file: {
    says: (name, page) => `${name} says on page ${page}:`,
    begins: 'This is how it begins.',
    missing: 'That is not in your files.',
    looked: (names) => `I looked at ${names}.`,
    lookedAnywhere: 'I looked at the files of this conversation.',
  },
};

const DE: Phrases = {
  echo: {
    greeting:
      'Hallo! Ich bin das **Demo-Modell** von STOLAS. Ich kann nicht denken, aber zeigen, wie eine Antwort ankommt. Du hast geschrieben:',
    received: (words) =>
      `${words === 1 ? 'Das ist 1 Wort' : `Das sind ${words} Wörter`}, ganz und in der richtigen Reihenfolge angekommen.`,
    tryThese:
      'Probiere einen der Vorschläge auf der Startseite, hänge eine Datei an und frage danach, oder sende `/hilfe`.',
  },
  unseen: 'Ich kann keine Bilder sehen: Das Demo-Modell liest nur Text.',
  remembered: 'Ich erinnere mich an dich:',
  answers: (name, tone) => `**${name}** antwortet${tone.map((word) => `, ${word}`).join('')}:`,
  panel: {
    answered: (names) => `Die Runde aus ${names} hat geantwortet:`,
    agreed: 'Alle in der Runde sind das Demo-Modell, also sind sie sich einig.',
  },
  file: {
    says: (name, page) => `${name} sagt auf Seite ${page}:`,
    begins: 'So fängt es an.',
    missing: 'Das steht nicht in deinen Dateien.',
    looked: (names) => `Ich habe in ${names} nachgesehen.`,
    lookedAnywhere: 'Ich habe in den Dateien dieser Unterhaltung nachgesehen.',
  },
};

export const PHRASES: Record<Language, Phrases> = { en: EN, de: DE };
