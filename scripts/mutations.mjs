// Small mistakes made from the syntax tree: a removed condition of a filter, a negated guard or a dropped operand of it.
import ts from 'typescript';

const QUERY = /^(find|update|delete|count|exists|distinct|replace)/;
/** Properties that hold a filter: of a bulk write and of a pipeline. */
const FILTERS = new Set(['filter', '$match']);
const LISTS = new Set(['$or', '$and', '$nor']);
const GUARD = new Set([ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken]);

/**
 * @typedef {{ file: string, within: string, text: string, start: number, end: number, put: string }} Mutation
 * @param {{ filters: boolean, guards: boolean }} kinds
 * @returns {Mutation[]}
 */
export function mutationsOf(file, source, { filters, guards }) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext, true);
  const found = new Map();
  const add = (node, { start = node.getStart(tree), end = node.getEnd(), put = '', text } = {}) => {
    const shown = (text ?? node.getText(tree)).replaceAll(/\s+/g, ' ');
    found.set(`${start} ${end} ${put}`, {
      file,
      within: nameOf(node),
      text: shown,
      start,
      end,
      put,
    });
  };
  const values = valuesIn(tree);
  const visit = (node) => {
    if (filters) for (const it of filtersOf(node, values)) addFilter(it, { add, source, values });
    if (guards) addGuard(node, add);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...found.values()];
}

/** The filters of a node: the first argument of a query, the filter of a function that passes it on, and stages of pipelines. */
function filtersOf(node, values) {
  if (ts.isPropertyAssignment(node) && FILTERS.has(node.name.getText())) return [node.initializer];
  if (!ts.isCallExpression(node) || node.arguments.length === 0) return [];
  const { expression, arguments: args } = node;
  if (ts.isPropertyAccessExpression(expression) && QUERY.test(expression.name.text))
    return [args[0]];
  const called = values.get(expression.getText()) ?? [];
  return called.flatMap(({ filterAt }) => args[filterAt] ?? []);
}

/** The names of the functions and properties around a node, from the outside. */
function nameOf(node) {
  const names = [];
  for (let at = node.parent; at; at = at.parent) {
    const isNamed =
      ts.isFunctionDeclaration(at) ||
      ((ts.isVariableDeclaration(at) || ts.isPropertyAssignment(at)) &&
        at.initializer &&
        ts.isArrowFunction(at.initializer));
    if (isNamed) names.unshift(at.name.getText());
  }
  return names.join('.');
}

/** The meaning of a file's names: the value of a constant or of a function, and which parameter is a filter. */
function valuesIn(tree) {
  const values = new Map();
  const add = (name, node) => {
    const isFunction = ts.isArrowFunction(node) || ts.isFunctionDeclaration(node);
    const parameters = isFunction ? node.parameters.map((it) => it.name.getText()) : [];
    const value = isFunction ? returned(node.body) : node;
    const known = values.get(name.getText()) ?? [];
    values.set(name.getText(), [...known, { value, filterAt: parameters.indexOf('filter') }]);
  };
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.initializer) add(node.name, node.initializer);
    if (ts.isFunctionDeclaration(node)) add(node.name, node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return values;
}

const returned = (body) =>
  ts.isBlock(body) ? body.statements.find(ts.isReturnStatement)?.expression : body;

/** Every object literal of a filter, in place or under a name of the file. */
function objectsOf(node, values, seen = new Set()) {
  if (!node || seen.has(node)) return [];
  seen.add(node);
  const inside = (it) => objectsOf(it, values, seen);
  if (ts.isObjectLiteralExpression(node)) return [node];
  if (ts.isIdentifier(node)) return (values.get(node.text) ?? []).flatMap((it) => inside(it.value));
  if (ts.isCallExpression(node)) return inside(node.expression);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(inside);
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  )
    return inside(node.expression);
  if (ts.isBinaryExpression(node)) return inside(node.right);
  return [];
}

function addFilter(filter, { add, source, values }) {
  for (const object of objectsOf(filter, values)) {
    const { properties } = object;
    const identifies = (it) => it.name?.getText() === '_id' && properties.length > 1;
    for (const property of properties) {
      // Without the identity of the record nearly every test fails.
      if (!identifies(property)) removeOf(property, { add, source });
      if (ts.isSpreadAssignment(property)) addFilter(property.expression, { add, source, values });
      if (ts.isPropertyAssignment(property) && LISTS.has(property.name.getText()))
        addMembers(property.initializer, { add, source, values });
    }
  }
}

function addMembers(list, tools) {
  if (!ts.isArrayLiteralExpression(list)) return;
  for (const member of list.elements) {
    if (list.elements.length > 1) removeOf(member, tools);
    // A member without conditions matches everything, which is another mistake than leaving it out.
    addFilter(ts.isSpreadElement(member) ? member.expression : member, tools);
  }
}

/** Removes an item of an object or array, with the comma after it. */
function removeOf(node, { add, source }) {
  const [comma = ''] = /^\s*,/.exec(source.slice(node.getEnd())) ?? [];
  add(node, { end: node.getEnd() + comma.length });
}

function addGuard(node, add) {
  if (ts.isIfStatement(node)) {
    const condition = node.expression;
    add(condition, { put: `!(${condition.getText()})`, text: `if (${condition.getText()})` });
  }
  if (!ts.isBinaryExpression(node) || !GUARD.has(node.operatorToken.kind)) return;
  // Written fields are not conditions.
  if (ts.isObjectLiteralExpression(node.right)) return;
  for (const [dropped, kept] of [
    [node.left, node.right],
    [node.right, node.left],
  ])
    add(node, { put: `(${kept.getText()})`, text: `${dropped.getText()} in ${node.getText()}` });
}
