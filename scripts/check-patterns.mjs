// Checks every regular expression of the product with recheck: none may take quadratic time or more. Patterns that are composed of
// constants of their file are checked too; patterns with the value of a call are not.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { check } from 'recheck';
import ts from 'typescript';
import { root } from './prepare.mjs';
import { main, Stop } from './terminal.mjs';

const FOLDERS = ['backend/src', 'backend/embedded', 'frontend/src', 'scripts'];
const LEFT_OUT = /\.(test|fixture|helper)\.|\.d\.m?ts$|(^|\/)(dist|node_modules)\//;
const MIN_PATTERNS = 400;

/** Patterns with quadratic time on an input of limited length: file, pattern, and the place of the limit. */
const ACCEPTED = [
  {
    file: 'backend/src/features/memory/ops.ts',
    text: String.raw`/\d[\d.,:/-]*\d|\d|\S+@\S+|\S+\/\/\S+|\p{L}+\.\p{L}{2,}\S*/gu`,
    bound: 'a memory has at most MAX_MEMORY_LENGTH code units, which judgeOp checks before',
  },
  {
    file: 'frontend/src/i18n/rich.tsx',
    text: String.raw`/(<\w+>.*?<\/\w+>)/`,
    bound: 'texts of the interface; the longest value in them is the name of a file',
  },
];

/** Patterns that are known to be safe; checking all of them takes a minute. */
const CACHE = path.join(root, '.cache/safe-patterns.json');
const VERSION = JSON.parse(
  readFileSync(path.join(root, 'node_modules/recheck/package.json'), 'utf8'),
).version;

/** The value of an expression of constants of its file; undefined for any other expression. */
function valueOf(node, constants) {
  const code = new Map();
  const collect = (at) => {
    const constant = ts.isIdentifier(at) && constants.get(at.text);
    if (constant && !code.has(at.text)) {
      collect(constant);
      code.set(at.text, `const ${at.text} = ${constant.getText()};`);
    }
    ts.forEachChild(at, collect);
  };
  collect(node);
  const options = { target: ts.ScriptTarget.ESNext };
  try {
    return runInNewContext(
      ts.transpile(`${[...code.values()].join('\n')}\n(${node.getText()})`, options),
    );
  } catch {
    return undefined;
  }
}

const constantsOf = (file) =>
  new Map(
    file.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .flatMap(({ name, initializer }) =>
        ts.isIdentifier(name) && initializer ? [[name.text, initializer]] : [],
      ),
  );

/** The regular expressions of a source file: `{source, flags, file, line}`. */
export function patternsIn(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
  const constants = constantsOf(file);
  const found = [];
  const visit = (node) => {
    const add = (source, flags) => {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push({ source, flags, file: name, line: line + 1 });
    };
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node.text.slice(1, end), node.text.slice(end + 1));
    } else if (ts.isNewExpression(node) && node.expression.getText(file) === 'RegExp') {
      const [source, flags = ''] = (node.arguments ?? []).map((it) => valueOf(it, constants));
      if (typeof source === 'string' && typeof flags === 'string') add(source, flags);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const allPatterns = () =>
  FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .filter((it) => /\.(tsx?|mjs)$/.test(it) && !LEFT_OUT.test(it))
      .map((it) => path.posix.join(folder, it.split(path.sep).join('/')))
      .flatMap((file) => patternsIn(file, readFileSync(path.join(root, file), 'utf8'))),
  );

/** Without an unbounded quantifier, a pattern takes constant time. */
const isBounded = ({ source }) => !/[*+]|,\}/.test(source);

const textOf = ({ source, flags }) => `/${source}/${flags}`;

function readCache() {
  try {
    const { version, safe } = JSON.parse(readFileSync(CACHE, 'utf8'));
    return version === VERSION ? safe : [];
  } catch {
    return [];
  }
}

/** Limited by steps, not by time, so that a busy machine has the same results. */
const LIMITS = {
  maxAttackStringSize: 30_000,
  attackLimit: 30_000_000,
  attackTimeout: 60_000,
  incubationTimeout: 10_000,
  timeout: 120_000,
};

/** The problem of a pattern; undefined without one. */
export async function problemOf({ source, flags }) {
  const { status, complexity, attack, error } = await check(source, flags, LIMITS);
  if (status === 'safe') return undefined;
  return status === 'unknown'
    ? `not checked: ${error.kind}`
    : `${complexity.summary} on ${attack.pattern}`;
}

async function checkAll(patterns) {
  const safe = new Set(readCache());
  const waiting = [...new Map(patterns.map((it) => [textOf(it), it])).values()].filter(
    (it) => !isBounded(it) && !safe.has(textOf(it)),
  );
  const problems = new Map();
  const work = async () => {
    for (let pattern = waiting.pop(); pattern; pattern = waiting.pop()) {
      const problem = await problemOf(pattern);
      if (problem) problems.set(textOf(pattern), problem);
      else safe.add(textOf(pattern));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  mkdirSync(path.dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify({ version: VERSION, safe: [...safe] }));
  return problems;
}

if (process.argv[1] === import.meta.filename) {
  await main(async () => {
    const patterns = allPatterns();
    if (patterns.length < MIN_PATTERNS)
      throw new Stop(`Only ${patterns.length} patterns were seen: they were not checked.`);
    const problems = await checkAll(patterns);
    const isAccepted = (pattern) =>
      ACCEPTED.some(({ file, text }) => file === pattern.file && text === textOf(pattern));
    const bad = patterns.filter((it) => problems.has(textOf(it)));
    const unused = ACCEPTED.filter(
      ({ file, text }) => !bad.some((it) => it.file === file && textOf(it) === text),
    );
    const lines = [
      ...bad
        .filter((it) => !isAccepted(it))
        .map((it) => `${it.file}:${it.line}: ${textOf(it)}\n  ${problems.get(textOf(it))}`),
      ...unused.map(({ file, text }) => `${file} has no slow pattern ${text}: do not except it.`),
    ];
    if (lines.length) throw new Stop(lines.join('\n'));
    console.log(`${patterns.length} patterns, ${ACCEPTED.length} accepted with a bound`);
  });
  // recheck leaves a process running, which would keep this one from exiting.
  process.exit();
}
