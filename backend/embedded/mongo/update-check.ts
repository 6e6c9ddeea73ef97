import { BSONRegExp } from 'bson';
import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { compileCondition, compileFilter, isOperators, type Test } from './match.ts';
import { isNumeric, toDouble } from './numbers.ts';
import type { Path } from './paths.ts';
import { parseSort } from './query.ts';
import { addPath } from './update-paths.ts';
import { isDoc, show, typeOf } from './values.ts';

/**
 * The checks of an update that need no document, so that a wrong one is refused even without a match.
 * @throws MongoError for an operand, a path or an array filter that MongoDB would refuse
 */
export function checkModification(update: Doc, arrayFilters: ReadonlyMap<string, Test>): void {
  const unused = new Set(arrayFilters.keys());
  const paths: Path[] = [];
  for (const [operator, operands] of Object.entries(update)) {
    if (!isDoc(operands)) fail(9, `Modifiers operate on fields but we found ${show(operands)}`);
    for (const [source, operand] of Object.entries(operands)) {
      for (const name of identifiers(source)) {
        if (!arrayFilters.has(name))
          fail(2, `No array filter found for identifier '${name}' in path '${source}'`);
        unused.delete(name);
      }
      addPath(paths, pathOf(source));
      if (operator === '$rename') addPath(paths, pathOf(renameTarget(source, operand)));
      else OPERANDS[operator]?.(operand, source);
    }
  }
  const [name] = unused;
  if (name !== undefined)
    fail(9, `The array filter for identifier '${name}' was not used in the update ${show(update)}`);
}

const identifiers = (source: string) =>
  source.split('.').flatMap((part) => /^\$\[(.+)\]$/.exec(part)?.[1] ?? []);

function pathOf(source: string): Path {
  const path = source.split('.');
  if (path.includes('')) fail(56, `The update path '${source}' contains an empty field name`);
  return path;
}

function renameTarget(source: string, to: unknown): string {
  if (typeof to !== 'string')
    fail(2, `The 'to' field for $rename must be a string: ${source}: ${show(to)}`);
  if (to === source) fail(2, `The source and target field for $rename must differ: ${source}`);
  const dynamic = [source, to].find((path) => path.split('.').some((part) => part.startsWith('$')));
  if (dynamic !== undefined)
    fail(2, `The source and target field for $rename may not be dynamic: ${dynamic}`);
  return to;
}

const OPERANDS: Record<string, (operand: unknown, path: string) => void> = {
  $inc: (operand, path) => {
    if (!isNumeric(operand))
      fail(14, `Cannot increment with non-numeric argument: {${path}: ${show(operand)}}`);
  },
  $currentDate: (operand) => {
    if (operand !== true) fail(2, 'The embedded database sets a $currentDate only by true');
  },
  $push: (operand) => checkEach(operand, ['$each', '$position', '$sort', '$slice']),
  $addToSet: (operand) => checkEach(operand, ['$each']),
  $pull: checkPull,
  $pullAll: (operand) => {
    if (!Array.isArray(operand))
      fail(2, `$pullAll requires an array argument but was given a ${typeOf(operand)}`);
  },
  $pop: (operand) => {
    if (!isNumeric(operand) || Math.abs(toDouble(operand)) !== 1)
      fail(9, `$pop expects 1 or -1, found: ${show(operand)}`);
  },
};

function checkEach(operand: unknown, allowed: readonly string[]): void {
  if (!isDoc(operand) || !('$each' in operand)) return;
  const unknown = Object.keys(operand).find((name) => !allowed.includes(name));
  if (unknown) fail(2, `Unrecognized clause: ${unknown}`);
  const { $each, $position, $slice, $sort } = operand;
  if (!Array.isArray($each))
    fail(2, `The argument to $each must be an array but it was of type ${typeOf($each)}`);
  for (const [name, value] of Object.entries({ $position, $slice })) {
    if (value !== undefined && !(isNumeric(value) && Number.isInteger(toDouble(value))))
      fail(2, `The value for ${name} must be an integer value but was given ${show(value)}`);
  }
  if (isDoc($sort)) parseSort($sort);
  else if ($sort !== undefined && !(isNumeric($sort) && Math.abs(toDouble($sort)) === 1))
    fail(2, `The $sort element value must be either 1 or -1, not ${show($sort)}`);
}

function checkPull(operand: unknown): void {
  if (isOperators(operand) || operand instanceof BSONRegExp) compileCondition(operand);
  else if (isDoc(operand)) compileFilter(operand);
}
