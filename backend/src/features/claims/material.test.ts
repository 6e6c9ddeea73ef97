import { describe, expect, it } from 'vitest';
import { MAX_TYPED_PARAGRAPH, materialOf } from './material.ts';

const LONG = 'The rent is 900 euros a month, and it rises by 3% a year. '.repeat(10).trim();

describe('what a message brings to compare a reply with', () => {
  it.each([
    'Write a short poem about owls',
    'Tell me about the history of Lisbon.',
    'Suggest 10 gifts under $50. They are for my sister, born in May 1990.',
    'Schreibe ein kurzes Gedicht über Eulen.',
    'Erzähl mir von der Geschichte Lissabons. Nimm höchstens 300 Wörter.',
    'Écris un court poème sur les hiboux.',
    'Escribe un poema corto sobre los búhos. Que tenga 12 versos.',
    'Baykuşlar hakkında kısa bir şiir yaz.',
    '写一首关于猫头鹰的短诗。要有十二行。',
    '“Owls at night”: write a poem with this title.',
    'What is the rent?',
    '> What is the rent?\n\nAnswer this.',
    '```\nThe rent is 900 euros.\n```\nExplain it.',
    '',
  ])('is nothing in %j', (content) => {
    expect(materialOf(content)).toBeNull();
  });

  it.each([
    ['en', 'Is this legal?\n> The rent is 900 euros a month.', 'The rent is 900 euros a month.'],
    ['de', '> Die Miete beträgt 900 Euro.\nIst das erlaubt?', 'Die Miete beträgt 900 Euro.'],
    ['fr', '> Le loyer est de 900 euros.\n\nRésume.', 'Le loyer est de 900 euros.'],
    ['es', 'Resume:\n\n> El alquiler es de 900 euros.', 'El alquiler es de 900 euros.'],
    ['tr', '> Kira ayda 900 avrodur.\n\nBu yasal mı?', 'Kira ayda 900 avrodur.'],
    ['zh', '> 每月租金是九百欧元。\n\n这合法吗？', '每月租金是九百欧元。'],
    ['a long paragraph', `Summarise this.\n\n${LONG}`, LONG],
  ])('is the quoted text, at its place: %s', (_, content, quoted) => {
    const material = materialOf(content);
    expect(material).toHaveLength(content.length);
    expect(material?.replace(/^>/gm, ' ').trim()).toBe(quoted);
    expect(material?.indexOf(quoted)).toBe(content.indexOf(quoted));
  });

  it('is a paste that the composer reported, however short its paragraphs are', () => {
    const pasted = 'The rent is 900 euros.\n\nPets need consent.';
    const content = `Summarise: ${pasted} In a few words, please.`;
    const start = content.indexOf(pasted);
    const material = materialOf(content, [{ start, end: start + pasted.length }]);
    expect(material?.trim()).toBe(pasted);
    expect(material?.indexOf(pasted)).toBe(start);
  });

  it('takes overlapping pastes once, and a paragraph of the limit for typed', () => {
    const content = 'The rent is 900. It rises.';
    const pastes = [
      { start: 4, end: 16 },
      { start: 0, end: 10 },
    ];
    expect(materialOf(content, pastes)).toBe(`The rent is 900.${' '.repeat(10)}`);
    const words = 'word '.repeat(MAX_TYPED_PARAGRAPH / 5 - 1);
    expect(materialOf(`${words}word.`)).toBeNull();
    expect(materialOf(`${words}word. `)).not.toBeNull();
  });
});
