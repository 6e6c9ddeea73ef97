import { expect, test } from 'vitest';
import { countTokens } from '../../../llm/index.ts';
import { estimateTokens } from './token-estimate.ts';

const TEXTS = {
  English:
    'The committee decided that the proposal should be reviewed again before the end of the year. ',
  German:
    'Der Ausschuss beschloss, den Vorschlag vor Jahresende noch einmal überprüfen zu lassen. ',
  French: 'Le comité a décidé que la proposition devrait être réexaminée avant la fin de l’année. ',
  Russian: 'Комитет решил, что предложение должно быть рассмотрено ещё раз до конца года. ',
  Chinese: '委员会决定在年底之前再次审查该提案，并向所有成员通报结果。',
  Japanese: '委員会は年末までに提案を再検討し、結果を全員に通知することを決定しました。',
  Korean: '위원회는 연말 이전에 제안을 다시 검토하기로 결정했습니다. ',
  Arabic: 'قررت اللجنة إعادة النظر في الاقتراح قبل نهاية العام. ',
  Hindi: 'समिति ने वर्ष के अंत से पहले प्रस्ताव की फिर से समीक्षा करने का निर्णय लिया। ',
  Thai: 'คณะกรรมการตัดสินใจที่จะทบทวนข้อเสนออีกครั้งก่อนสิ้นปี ',
  CSV: '2023-05-17;A-113;1,234.56;Berlin;0.75\n',
  JSON: '{"id": 17, "name": "report", "pages": [1, 2, 3], "ok": true}\n',
  code: 'for (const [key, value] of map.entries()) { total += value * rate; }\n',
  base64: 'dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw== ',
  emoji: '😀🎉👍🏽 ',
};

const ROW = Array.from({ length: 20 }, (_, n) => (n * 7_919) % 100_003);
test.each([
  ['whole numbers', ROW.join('\t')],
  ['prices', ROW.map((n) => `$ ${(n / 100).toFixed(2)}`).join(' | ')],
  ['thousands', ROW.map((n) => (n * 1_000).toLocaleString('en')).join('\t')],
  ['digits', ROW.map((n) => n % 10).join(' ')],
  ['codes', ROW.map((n) => `${n}${n}${n}`).join('\n')],
])('the estimate for %s is at most 10% too low or 25% too high', async (_, text) => {
  const counted = await countTokens(`${text}\n`.repeat(20));
  const estimate = estimateTokens(`${text}\n`.repeat(20));
  expect(estimate).toBeGreaterThanOrEqual(counted * 0.9);
  expect(estimate).toBeLessThanOrEqual(counted * 1.25);
});

test.each(Object.entries(TEXTS))(
  'the estimate for %s is at most 10% too low, and at most 3 times the count',
  async (_, text) => {
    const counted = await countTokens(text.repeat(20));
    expect(estimateTokens(text.repeat(20))).toBeGreaterThanOrEqual(counted * 0.9);
    expect(estimateTokens(text.repeat(20))).toBeLessThanOrEqual(counted * 3);
  },
);
