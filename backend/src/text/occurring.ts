const UNITS = 0x1_00_00;

/** A tree of words by their code units; node 0 is the empty prefix. */
interface Trie {
  /** By node × UNITS + code unit. */
  next: Map<number, number>;
  /** The word that ends at a node. */
  words: (string | undefined)[];
  /** The node of the longest proper suffix of a node's text that is a prefix of a word. */
  endings: number[];
}

/**
 * The words that occur in the text, in time linear in the sum of their lengths (Aho and Corasick, 1975); a separate search per word takes
 * the product.
 */
export function occurringIn(text: string, words: readonly string[]): Set<string> {
  const trie = trieOf(words);
  const found = new Set<string>();
  const seen = new Set([0]);
  let node = 0;
  for (let at = 0; at < text.length; at += 1) {
    node = follow(trie, node, text.charCodeAt(at));
    for (let end = node; !seen.has(end); end = trie.endings[end] ?? 0) {
      seen.add(end);
      const word = trie.words[end];
      if (word !== undefined) found.add(word);
    }
  }
  return found;
}

function trieOf(words: readonly string[]): Trie {
  const trie: Trie = { next: new Map(), words: [undefined], endings: [0] };
  const nodes: { node: number; parent: number; unit: number }[] = [];
  // All words at once, unit by unit: suffix links of shorter prefixes exist before those of longer ones.
  let open = words.filter((word) => word !== '').map((word) => ({ word, node: 0 }));
  for (let at = 0; open.length > 0; at += 1) {
    open = open.flatMap(({ word, node: parent }) => {
      const unit = word.charCodeAt(at);
      const key = parent * UNITS + unit;
      let node = trie.next.get(key);
      if (node === undefined) {
        node = trie.words.push(undefined) - 1;
        trie.next.set(key, node);
        nodes.push({ node, parent, unit });
      }
      if (word.length === at + 1) trie.words[node] = word;
      return word.length === at + 1 ? [] : [{ word, node }];
    });
  }
  for (const { node, parent, unit } of nodes)
    trie.endings[node] = parent === 0 ? 0 : follow(trie, trie.endings[parent] ?? 0, unit);
  return trie;
}

/** The node of the longest suffix of a node's text plus one unit that is a prefix of a word. */
function follow({ next, endings }: Trie, from: number, unit: number): number {
  for (let node = from; ; node = endings[node] ?? 0) {
    const found = next.get(node * UNITS + unit);
    if (found !== undefined) return found;
    if (node === 0) return 0;
  }
}
