// The texts of the interface are in frontend/src/i18n. This finds texts elsewhere, unused keys, calls that run before a translation is
// loaded, and translations that lack a text or have other arguments.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './prepare.mjs';

const FOLDER = 'frontend/src/i18n';
const SOURCE = 'en';
const TEST = /\.(test|fixture|helper)\.tsx?$|test-setup\.ts$|\.d\.ts$/;
/** Attributes and properties with interface texts. */
const SPOKEN =
  /^(aria-(label|description|placeholder|roledescription|valuetext)|title|placeholder|alt|label|hint|text|description|message|fallback|heading|line|note|empty|name)$/;
/** Names of products and formats are equal in every language. */
const SAME = new Set(
  'STOLAS Markdown JSON CSV HTML PDF PNG SVG Google GitHub Discord Replit Stripe Esc Enter Ctrl Shift'.split(
    ' ',
  ),
);
const isSame = (text) => SAME.has(text.trim().replace(/\.$/, ''));
const LETTERS = /\p{L}{2}/u;
const SENTENCE = /^[‘“'"]?\p{Lu}[\p{L}’']*[,:]? \p{L}/u;

/** The source files under `folder`, without tests. */
const sourcesOf = (folder) =>
  readdirSync(path.join(root, folder), { recursive: true })
    .filter((it) => /\.tsx?$/.test(it) && !TEST.test(it))
    .map((it) => path.join(folder, it));

const problems = [];
const report = (file, node, text) => {
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  problems.push(`${path.relative(root, file.fileName)}:${line + 1}: ${text}`);
};

const isInCall = (node, names) => {
  for (let at = node.parent; at; at = at.parent) {
    if ((ts.isNewExpression(at) || ts.isCallExpression(at)) && names.test(at.expression.getText()))
      return true;
    if (ts.isStatement(at)) return false;
  }
  return false;
};

/** The place of `node`: the name of the attribute or property whose value contains it. */
function placeOf(node) {
  for (let at = node.parent; at && !ts.isStatement(at); at = at.parent) {
    if (ts.isJsxAttribute(at) || ts.isPropertyAssignment(at)) return at.name.getText();
    // An array under such a name, as in `{ text: ['ArrowLeft'] }`, contains keys.
    if (ts.isCallExpression(at) || ts.isArrowFunction(at) || ts.isArrayLiteralExpression(at))
      return '';
  }
  return '';
}

const textOf = (node) => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('…');
  return undefined;
};

function isForPeople(node, text) {
  if (!LETTERS.test(text) || isSame(text)) return false;
  if (ts.isImportDeclaration(node.parent) || ts.isExternalModuleReference(node.parent))
    return false;
  if (ts.isLiteralTypeNode(node.parent)) return false;
  const place = placeOf(node);
  if (/^(className|class|key|d|viewBox|style|href|src|id|type|role)$/.test(place)) return false;
  if (isInCall(node, /(Error|^console\.\w+|^cn|^clsx|^reportError)$/)) return false;
  return SENTENCE.test(text) || (SPOKEN.test(place) && /^\p{Lu}/u.test(text));
}

/** The constant start and end of a key such as `${claim}Text`. */
const partsOf = ({ head, templateSpans }) => [head.text, templateSpans.at(-1).literal.text];

/** Calls of `t` at a module's top level and in functions, by the keys they use. */
function visit(file, node, used, inFunction) {
  if (ts.isJsxText(node) && LETTERS.test(node.text) && !isSame(node.text))
    report(file, node, `text outside the catalogue: ${node.text.trim()}`);
  const text = textOf(node);
  if (text !== undefined && isForPeople(node, text))
    report(file, node, `text outside the catalogue: ${text}`);
  if (ts.isStringLiteralLike(node)) used.add(node.text);
  const isLookUp =
    ts.isCallExpression(node) && /^(t\w*|\w+Text)$/.test(node.expression.getText(file));
  if (isLookUp && node.arguments[0] && ts.isTemplateExpression(node.arguments[0]))
    usedParts.push(partsOf(node.arguments[0]));
  if (isLookUp && !inFunction)
    report(file, node, 'calls t while the module loads; the translation is not there yet');
  const inside = inFunction || ts.isFunctionLike(node);
  ts.forEachChild(node, (child) => visit(file, child, used, inside));
}

const used = new Set();
const usedParts = [];
const isUsed = (key) =>
  used.has(key) || usedParts.some(([start, end]) => key.startsWith(start) && key.endsWith(end));
const sources = sourcesOf('frontend/src');
for (const name of sources) {
  const full = path.join(root, name);
  const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(
    full,
    readFileSync(full, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    kind,
  );
  visit(file, file, used, false);
}

// Values of the contract, such as states and modes, are keys of their texts.
for (const name of sourcesOf('backend/src/contract'))
  for (const [, value] of readFileSync(path.join(root, name), 'utf8').matchAll(/'(\w+)'/g))
    used.add(value);

const read = (language) =>
  JSON.parse(readFileSync(path.join(root, FOLDER, `${language}.json`), 'utf8'));
/** The arguments and tags of a text. */
const argsOf = (text) =>
  [...new Set(text.match(/\{\s*\w+(?=\s*[,}])|<\w+>/g) ?? [])]
    .map((it) => it.replace(/\s/g, ''))
    .toSorted((a, b) => a.localeCompare(b))
    .join(' ');

const english = read(SOURCE);
for (const [section, texts] of Object.entries(english))
  for (const key of Object.keys(texts))
    if (!isUsed(key)) problems.push(`${SOURCE}.json: nothing uses ${section}.${key}`);

/** The server's sentences, and patterns of the sentences that it builds from a template. */
const sayings = new Set();
const patterns = [];
const escaped = (text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
function listen(node) {
  if (ts.isStringLiteralLike(node)) sayings.add(node.text);
  // A template without words would match every text.
  if (ts.isTemplateExpression(node) && LETTERS.test(textOf(node)))
    patterns.push(new RegExp(`^${textOf(node).split('…').map(escaped).join('.+')}$`));
  ts.forEachChild(node, listen);
}
// The pages show the payment provider's sentences; the embedded one has these.
const PROVIDER = 'backend/embedded/stripe/simulator/errors.ts';
for (const name of [...sourcesOf('backend/src'), PROVIDER]) {
  const text = readFileSync(path.join(root, name), 'utf8');
  listen(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
}
const stands = (sentence) =>
  sayings.has(sentence) || patterns.some((pattern) => pattern.test(sentence));

const languages = readdirSync(path.join(root, FOLDER))
  .filter((it) => it.endsWith('.json') && it !== `${SOURCE}.json`)
  .map((it) => path.basename(it, '.json'));
for (const language of languages) {
  const { server: sentences = {}, ...sections } = read(language);
  for (const [section, texts] of Object.entries(english))
    for (const [key, text] of Object.entries(texts)) {
      const translated = sections[section]?.[key];
      if (translated === undefined) problems.push(`${language}.json lacks ${section}.${key}`);
      else if (argsOf(translated) !== argsOf(text))
        problems.push(
          `${language}.json: ${section}.${key} has other arguments than the English text`,
        );
    }
  for (const [section, texts] of Object.entries(sections))
    for (const key of Object.keys(texts))
      if (english[section]?.[key] === undefined)
        problems.push(`${language}.json: ${section}.${key} is not in ${SOURCE}.json`);
  for (const sentence of Object.keys(sentences))
    if (!stands(sentence)) problems.push(`${language}.json: the server never says "${sentence}"`);
}

for (const problem of problems) console.error(problem);
console.log(
  `${sources.length} files, ${languages.length + 1} languages, ${problems.length} problems`,
);
if (problems.length) process.exitCode = 1;
