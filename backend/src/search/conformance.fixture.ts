import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MessageSearch, SearchableMessage } from './port.ts';

const newId = () => randomBytes(12).toString('hex');
const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 10, minute));

/** The tests for every adapter of `MessageSearch`. */
export function describeMessageSearch(name: string, start: () => Promise<MessageSearch>): void {
  describe(`message search: ${name}`, () => {
    let search: MessageSearch;
    let ownerId: string;
    let conversationId: string;

    beforeAll(async () => {
      search = await start();
    });
    beforeEach(() => {
      ownerId = newId();
      conversationId = newId();
    });

    const put = async (content: string, changed: Partial<SearchableMessage> = {}) => {
      const message = { id: newId(), conversationId, ownerId, role: 'user' as const, content };
      await search.put([{ ...message, createdAt: at(0), ...changed }]);
      return changed.id ?? message.id;
    };
    const find = async (q: string, owner = ownerId) =>
      (await search.find({ ownerId: owner, q, limit: 50 })).map(({ messageId }) => messageId);

    describe('words', () => {
      it.each([
        ['any case', 'The Telescope saw it', 'tELEscope'],
        ['without accents', 'Ein Café in Zürich', 'cafe zurich'],
        ['with accents that the text lacks', 'a cafe in Zurich', 'café'],
        ['decomposed accents', 'cafe\u0301', 'café'],
        ['compatible forms', 'ｆｕｌｌ ﬁle', 'full file'],
        ['other letters', 'Straße', 'strasse'],
        ['Greek', 'Ο Σεισμός', 'σεισμοσ'],
        ['Arabic with vowel points', 'مُحَمَّد', 'محمد'],
        ['Hindi', 'यह हिन्दी है', 'हिन्दी'],
        ['Chinese', '我喜欢天文望远镜。', '望远镜'],
        ['Japanese', '昨日、東京タワーに行きました。', '東京'],
        ['Thai', 'ฉันชอบกล้องโทรทรรศน์มาก', 'กล้อง'],
        ['Korean with an ending', '망원경으로 보았다', '망원경'],
        ['numbers', 'It costs 3.14 or 1,200', '3.14'],
        ['parts of names in code', 'call max_retry_count()', 'retry'],
        ['after a soft hyphen', 'tele\u00adscope', 'telescope'],
        ['twice', 'echo', 'echo echo'],
      ])('are found: %s', async (_, content, q) => {
        const id = await put(content);
        await put('another text');
        expect(await find(q)).toEqual([id]);
      });

      it('must all occur, in any order', async () => {
        const both = await put('the red owl and the blue cat');
        await put('a red cat');
        await put('a blue owl');
        expect(await find('cat owl')).toEqual([both]);
        expect(await find('cat owl dog')).toEqual([]);
      });

      it('match whole, and the last one by its beginning', async () => {
        const id = await put('internationalization of conversations');
        expect(await find('conver')).toEqual([id]);
        for (let length = 1; length <= 'internationalization'.length; length += 1)
          expect(await find('internationalization'.slice(0, length))).toEqual([id]);
        expect(await find('internationalisat')).toEqual([]);
        expect(await find('conver internationalization')).toEqual([]);
        expect(await find('ersation')).toEqual([]);
        expect(await find('conversations conversationsx')).toEqual([]);
      });

      it.each([
        '-telescope',
        '"telescope"',
        'telescope OR nothing',
        'telescope*',
        '(telescope)',
        'NEAR(telescope)',
        '$telescope',
        'words : telescope',
        "telescope';--",
        '\\"telescope',
      ])('are plain, with any characters around them: %j', async (q) => {
        const id = await put('telescope or words near nothing');
        await put('nothing near or words');
        expect(await find(q)).toEqual([id]);
      });

      it.each(['', ' ', '"', '-', '*', '…', '🦉'])(
        'are none in %j, which finds nothing',
        async (q) => {
          await put('owl 🦉 … * - "');
          expect(await find(q)).toEqual([]);
        },
      );

      it('are found in a long text, and many of them', async () => {
        const words = Array.from({ length: 6_000 }, (_, n) => `w${n.toString(36)}x`);
        const id = await put(words.join(' '));
        expect(await find(words.at(-1) ?? '')).toEqual([id]);
        expect(await find(words.slice(-40).join(' '))).toEqual([id]);
      });
    });

    it('returns the match and the words of the search', async () => {
      const messageId = await put('Ein Café', { role: 'assistant', createdAt: at(7) });
      expect(await search.find({ ownerId, q: 'CAFÉ ein', limit: 1 })).toEqual([
        { messageId, conversationId, role: 'assistant', createdAt: at(7), words: ['cafe', 'ein'] },
      ]);
    });

    describe('pages', () => {
      it.each([
        [7, 3],
        [400, 70],
      ])(
        'of %i matches come newest first and whole, also of the same moment',
        async (count, limit) => {
          const messages = Array.from({ length: count }, (_, n) => ({
            id: newId(),
            createdAt: at((n * 7) % 5),
          }));
          await Promise.all(messages.map((message) => put('needle', message)));
          const expected = messages
            .toSorted(
              (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
            )
            .map(({ id }) => id);
          const found: string[] = [];
          for (let before: { createdAt: Date; messageId: string } | undefined; ; ) {
            const page = await search.find({ ownerId, q: 'needle', before, limit });
            found.push(...page.map(({ messageId }) => messageId));
            before = page.at(-1);
            if (page.length < limit) break;
          }
          expect(found).toEqual(expected);
        },
      );
    });

    it('finds nothing of another owner', async () => {
      await put('secret');
      expect(await find('secret', newId())).toEqual([]);
    });

    it('replaces a text that is put again, and drops one without words', async () => {
      const id = await put('first draft');
      await put('second version', { id });
      await put('second version', { id });
      expect([await find('draft'), await find('version')]).toEqual([[], [id]]);
      await put('', { id, ownerId: newId() });
      expect(await find('version')).toEqual([id]);
      await put('', { id });
      expect(await find('version')).toEqual([]);
    });

    it('removes a message, a conversation or all of an owner, and nothing of others', async () => {
      const [other, stranger] = [newId(), newId()];
      const kept = await put('word', { ownerId: stranger });
      const elsewhere = await put('word', { conversationId: other, createdAt: at(1) });
      const [one, two] = [await put('word', { createdAt: at(3) }), await put('word')];
      await search.remove({ ownerId: stranger, messageId: one });
      await search.remove({ ownerId: stranger, conversationId });
      // This removed the stranger's own message there.
      await put('word', { id: kept, ownerId: stranger });
      expect(await find('word')).toEqual([one, elsewhere, two]);
      await search.remove({ ownerId, messageId: one });
      expect(await find('word')).toEqual([elsewhere, two]);
      await search.remove({ ownerId, conversationId });
      expect(await find('word')).toEqual([elsewhere]);
      await search.remove({ ownerId });
      await search.remove({ ownerId });
      expect([await find('word'), await find('word', stranger)]).toEqual([[], [kept]]);
    });
  });
}
